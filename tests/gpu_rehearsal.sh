#!/bin/sh
# What can be tried of tests/gpu without a GPU: the real CUDA libraries without a driver, where a program fails as it
# does alone; and tests/gpu/run on stand-ins, from a folder and an environment that have nothing else.
. "$top_srcdir/tests/collector_common.sh"
nvcc=$(sed -n 's/^NVCC = //p' "$top_builddir/Makefile")
cuda=$(sed -n 's/^CUDA_DIR = //p' "$top_builddir/Makefile")
build=$(cd "$top_builddir" && pwd)
tacho=$build/analyzer/tacho
if [ -z "$nvcc" ] || [ ! -e "$build/tests/standin/cuda13/libcupti.so.13" ]; then
	echo "1..0 # SKIP needs nvcc and the headers of CUDA 13"
	exit 0
fi
echo 1..13
unset LD_LIBRARY_PATH

mkdir -p "$tmp/bare/tests" "$tmp/OUT"
cp -r "$top_srcdir/tests/gpu" "$tmp/bare/tests/"
chmod -R u+w "$tmp/bare"
# gpu FOLDER STAGE…: what it says is in FOLDER.said
gpu()
{
	folder=$1
	shift
	(cd "$tmp/bare" && env -i PATH="$PATH" HOME="$tmp" OUT="$tmp/OUT" timeout 500 tests/gpu/run --standin --built "$build" -o "$folder" "$@" >"$folder.said" 2>&1)
}
# went_well FOLDER: no check failed; what did is shown
went_well()
{
	! grep -E 'not ok|failed|stopped after|Traceback' "$1.said"
}
# stages_are FOLDER STAGE…: the results that went outside have them, all done
stages_are()
{
	folder=$1
	shift
	same "$(sed -n 's/^| \([a-z]*\) | ok .*/\1/p' "$folder/RESULTS.md" | tr '\n' ' ')" "$* " && cmp "$folder/RESULTS.md" "$tmp/OUT/RESULTS.md" &&
		tar -tzf "$tmp/OUT/results.tar.gz" | grep -q RESULTS.md
}
first=$tmp/first second=$tmp/second
ok "tests/gpu/run: the first call does all that it is to do" gpu "$first" build split planted lasts known odd raw hang
ok "no check of it fails" went_well "$first"
ok "each stage's results are outside, with what is sent" stages_are "$first" build split planted lasts known odd raw hang
ok "each check is a line with what was expected and seen" sh -c 'test "$(grep -c ": ok - .*: expected .*, seen " "$1")" -gt 20' - "$first.said"
ok "the second, where nothing is left of the first, builds and does the rest" gpu "$second" overhead frameworks activity trainer nccl torch
ok "no check of it fails" went_well "$second"
ok "its results are outside" stages_are "$second" build overhead frameworks activity trainer nccl torch

# What the same program left on a real GPU (tests/data/cupti13): the stand-in's CUPTI is like it.
buffers_alike()
{
	python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' \
		"$top_srcdir/tests/data/cupti13/known.raw.xz" >"$tmp/known.raw" &&
		"$build/tests/unit/cuda_raw" read "$tmp/known.raw" >"$tmp/real.read" &&
		"$build/tests/unit/cuda_raw" read "$first"/raw/known.[0-9]* >"$tmp/standin.read" &&
		python3 "$top_srcdir/tests/cupti_raw.py" --alike "$tmp/real.read" "$tmp/standin.read"
}
ok "the known work has the same activities on stand-ins as on a GPU" buffers_alike

# What torch.profiler would say of the known work, and with a kernel too many.
of_torch()
{
	python3 - "$first/runs/known.shared/tacho.db" "$1" >"$tmp/torch.json" <<-'END'
		import json, sqlite3, sys
		rows = sqlite3.connect(sys.argv[1]).execute("select name, sum(calls) from kernel group by name").fetchall()
		kernels = {name: calls for name, calls in rows if not name.startswith("mem")}
		kernels["known_tiny"] += int(sys.argv[2])
		copies = sum(calls for name, calls in rows if name.startswith("memcpy"))
		print(json.dumps({"kernels": kernels, "copies": {"gpu_memcpy": copies}}))
	END
	tacho=$tacho python3 "$top_srcdir/tests/gpu/check.py" torch "$first/runs/known.shared" "$tmp/torch.json" --standin
}
ok "a recording that agrees with torch.profiler is told" of_torch 0
not_of_torch() { ! of_torch 1; }
ok "and one that does not" not_of_torch

# Real libraries: as_alone RUNTIME: recorded, the program says and ends as it does alone; ours is one line at most
as_alone()
{
	(
		export LD_LIBRARY_PATH="$cuda/lib64"
		"$first/known.$1" >"$tmp/alone" 2>&1
		alone=$?
		TACHO_DIR=$tmp/none LD_PRELOAD=$build/collector/.libs/libtacho.so RANK=0 WORLD_SIZE=1 \
			timeout 60 "$first/known.$1" >"$tmp/recorded" 2>&1
		recorded=$?
		grep -v '^tacho' "$tmp/recorded" | diff "$tmp/alone" - && [ $alone = $recorded ] && [ $alone != 0 ] &&
			[ "$(grep -c '^tacho' "$tmp/recorded")" -le 1 ]
	)
}
for runtime in shared static; do
	if [ ! -e "$first/known.$runtime" ] || [ -e /dev/nvidiactl ]; then
		skip "without a driver a program with the $runtime runtime fails as it does alone" "no runtime to link, or a GPU"
	else
		ok "without a driver a program with the $runtime runtime fails as it does alone" as_alone $runtime
	fi
done
# The driver calls this function of ours when a program initialises it.
cupti=$(ls "$cuda"/lib64/libcupti.so.* "$cuda"/extras/CUPTI/lib64/libcupti.so.* 2>/dev/null | head -n 1)
if [ -z "$cupti" ] || [ -e /dev/nvidiactl ]; then
	skip "injected without a driver it says so in one line" "no libcupti, or a GPU"
else
	TACHO_CUPTI=$cupti TACHO_DIR=$tmp/injected LD_PRELOAD=$build/collector/.libs/libtacho.so RANK=0 WORLD_SIZE=1 timeout 60 \
		python3 -c 'import ctypes; print(ctypes.CDLL(None).InitializeInjection())' >"$tmp/out" 2>"$tmp/err"
	ok "injected without a driver it says so in one line" same "$(cat "$tmp/out") $(grep -c '^tacho' "$tmp/err") $(grep -c 'check the driver' "$tmp/err")" "1 1 1"
fi
