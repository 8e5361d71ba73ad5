#!/bin/sh
# Damaged and hostile traces of torch.profiler and exports of Nsight Systems end with a result or one sentence, by
# analyze and export: a short run of tests/fuzz/traces.py, of the same inputs each time (FUZZ_SEED, FUZZ_INPUTS).
. "$top_srcdir/tests/analyze_common.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
grep -q "^#define HAVE_ZLIB 1" "$top_builddir/config.h" || skip_all "tacho is built without zlib"
here=$(cd "$top_srcdir/tests" && pwd)
[ "${FUZZ_CHECKS-}" ] || ! grep -q __asan_init "$tacho" 2>/dev/null || FUZZ_CHECKS=1
export FUZZ_CHECKS
mkdir "$dir/amd" "$dir/report" "$dir/calls" && SEQ=1 python3 "$here/kineto_make.py" "$dir/two" 2 3 4 >/dev/null &&
	cp "$here/data/kineto/hta-mi250.json.gz" "$dir/amd" && PLAIN=1 python3 "$here/kineto_make.py" "$dir/plain" 2 2 3 >/dev/null &&
	python3 "$here/nsys_make.py" "$dir/report/both.sqlite" "$dir/plain/rank0.json" "$dir/plain/rank1.json.gz:3217500" &&
	python3 "$here/nsys_make.py" --calls "$dir/calls/calls.sqlite" 2 || { echo "Bail out! no traces to damage"; exit 1; }
echo 1..1
PYTHONDONTWRITEBYTECODE=1 python3 "$here/fuzz/traces.py" "$tacho" "${FUZZ_INPUTS:-20}" "${FUZZ_SEED:-1}" "$dir/found" "$dir/two/rank0.json" \
	"$dir/two/rank1.json.gz" "$dir/amd/hta-mi250.json.gz" "$dir/report/both.sqlite" "$dir/calls/calls.sqlite"
