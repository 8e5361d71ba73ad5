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
echo 1..9
unset LD_LIBRARY_PATH

# as_alone RUNTIME: recorded, the program says and ends as it does alone; ours is one line at most
as_alone()
{
	"$tmp/known.$1" >"$tmp/alone" 2>&1
	alone=$?
	TACHO_DIR=$tmp/none LD_PRELOAD=$(cd "$top_builddir" && pwd)/collector/.libs/libtacho.so RANK=0 WORLD_SIZE=1 \
		timeout 60 "$tmp/known.$1" >"$tmp/recorded" 2>&1
	recorded=$?
	grep -v '^tacho' "$tmp/recorded" | diff "$tmp/alone" - && [ $alone = $recorded ] && [ $alone != 0 ] &&
		[ "$(grep -c '^tacho' "$tmp/recorded")" -le 1 ]
}
for runtime in shared static; do
	"$nvcc" -std=c++17 -cudart $runtime -Xcompiler -rdynamic -Xlinker -rpath="$cuda/lib64" "$top_srcdir/tests/gpu/known.cu" \
		-o "$tmp/known.$runtime" >"$tmp/nvcc" 2>&1
	if [ ! -e "$tmp/known.$runtime" ] || [ -e /dev/nvidiactl ]; then
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
	ok "injected without a driver it says so in one line" same "$(cat "$tmp/out") $(grep -c '^tacho' "$tmp/err") $(grep -c 'no working driver' "$tmp/err")" "1 1 1"
fi

mkdir -p "$tmp/bare/tests" "$tmp/OUT"
cp -r "$top_srcdir/tests/gpu" "$tmp/bare/tests/"
chmod -R u+w "$tmp/bare"
gpu() { (cd "$tmp/bare" && env -i PATH="$PATH" HOME="$tmp" OUT="$tmp/OUT" timeout 200 tests/gpu/run --standin --built "$build" -o "$tmp/gpu" "$@" >"$tmp/said" 2>&1); }
ok "tests/gpu/run builds what it needs" gpu build
ok "it tells a hang from a slow kernel" gpu hang
ok "each check is a line with what was expected and seen" same "$(grep -c ': ok - .*: expected .*, seen ' "$tmp/said")" 4
ok "none fails" same "$(grep -c 'not ok' "$tmp/said")" 0
ok "the results of both calls are outside after each stage" sh -c 'grep -q "^| build | ok" "$1" && grep -q "^| hang | ok" "$1"' - "$tmp/OUT/RESULTS.md"
ok "and in the archive" sh -c 'tar -tzf "$1" | grep -q RESULTS.md' - "$tmp/OUT/results.tar.gz"
