#!/bin/sh
# Where a libcupti is looked for: each place in a folder tree of its own, with nothing in any other.
. "$top_srcdir/tests/cupti_common.sh"
need 18
lib=$(cd "$top_builddir" && pwd)/collector/.libs/libtacho.so
cupti=$standin/cuda13/libcupti.so.13

# runtime FOLDER: the CUDA runtime lies there, and the driver, and no libcupti
runtime()
{
	mkdir -p "$tmp/$1"
	cp "$standin/cuda13/libcuda.so.1" "$standin/cuda13/libcudart.so.13" "$tmp/$1"
	libraries=$tmp/$1
}

# found FOLDER [ENVIRONMENT…]: the one in that folder is used
found()
{
	folder=$1
	shift
	mkdir -p "$tmp/$folder"
	cp "$cupti" "$tmp/$folder/"
	used "$tmp/$folder/libcupti.so.13" "$@"
	status=$?
	rm "$tmp/$folder/libcupti.so.13"
	return $status
}

# used PATH [ENVIRONMENT…]
used()
{
	path=$1
	shift
	loaded "$@"
	same "$(seen)" "$path"
}

# The program with the library, where it finds no other libcupti: loaded [ENVIRONMENT…] [COMMAND…]
loaded()
{
	rm -rf "$tmp/none"
	env -u CUDA_HOME -u CUDA_PATH -u CONDA_PREFIX LD_LIBRARY_PATH="$libraries" RANK=0 WORLD_SIZE=1 TACHO_DIR="$tmp/none" "$@" \
		timeout 60 env LD_PRELOAD="$lib" "$top_builddir/tests/cupti/loop13" 1 1 >"$tmp/out" 2>"$tmp/err"
}

# The one in use, in the shape of its path that says no "folder/.."
seen()
{
	realpath -ms "$("$top_builddir/tests/unit/spool_dump" "$tmp"/none/spool/* | sed -n 's/^property process\.cupti=[0-9]* //p')"
}

# next to the runtime
runtime toolkit/lib64
ok "next to the runtime" found toolkit/lib64
ok "in the toolkit of a runtime" found toolkit/extras/CUPTI/lib64
runtime targets/targets/x86_64-linux/lib
ok "… that lies in its folder of targets" found targets/extras/CUPTI/lib64
runtime pip/nvidia/cuda_runtime/lib
ok "in the package next to the runtime's" found pip/nvidia/cuda_cupti/lib
# a static runtime, or the driver alone, leaves nothing but other packages
runtime python/site-packages/own
ok "in Python's packages of CUDA 13" found python/site-packages/nvidia/cu13/lib
ok "in those before" found python/site-packages/nvidia/cuda_cupti/lib
ok "in Triton" found python/site-packages/triton/backends/nvidia/lib/cupti
runtime debian/dist-packages/own
ok "where Debian has Python's packages" found debian/dist-packages/nvidia/cu13/lib
# by the environment
runtime alone
for variable in CUDA_HOME CUDA_PATH; do
	ok "below $variable" found "$variable/extras/CUPTI/lib64" "$variable=$tmp/$variable"
	ok "… in lib64" found "$variable/lib64" "$variable=$tmp/$variable"
done
ok "below CONDA_PREFIX" found conda/lib "CONDA_PREFIX=$tmp/conda"
mkdir -p "$tmp/toolkit/lib64" "$tmp/named"
cp "$cupti" "$tmp/toolkit/lib64/"
cp "$cupti" "$tmp/named/mine.so"
libraries=$tmp/toolkit/lib64
ok "TACHO_CUPTI comes before all" used "$tmp/named/mine.so" "TACHO_CUPTI=$tmp/named/mine.so"
rm "$tmp/toolkit/lib64/libcupti.so.13"

# system FOLDER…: the one below /usr/local in the last of these; a /usr/local of its own has nothing else
system()
{
	for folder; do
		set -- "$@" "/usr/local/$folder"
		shift
	done
	# shellcheck disable=SC2016
	loaded unshare -m sh -c 'cupti=$1 n=$2; shift 2; mount -t tmpfs none /usr/local || exit
		while [ $n -gt 0 ]; do mkdir -p "$1"; cp "$cupti" "$1/"; shift; n=$((n - 1)); done; exec "$@"' - "$cupti" $# "$@"
	while [ $# -gt 1 ]; do
		shift
	done
	same "$(seen)" "$1/libcupti.so.13"
}
libraries=$tmp/alone
if unshare -m mount -t tmpfs none /usr/local 2>/dev/null; then
	ok "in /usr/local/cuda" system cuda/lib64
	ok "… with its extras" system cuda/lib64 cuda/extras/CUPTI/lib64
	ok "in the last of several versions" system cuda-9.2/lib64 cuda-12.8/lib64 cuda-13.0/lib64
	ok "… with its extras" system cuda-13.0/extras/CUPTI/lib64
else
	for which in cuda "cuda's extras" "the last version" "its extras"; do
		skip "in /usr/local: $which" "no mounts here"
	done
fi
