#!/bin/sh
# What quickstart says of the GPUs that it finds: which, or why there are none.
. "$top_srcdir/tests/collector_common.sh"
echo 1..15
which=$top_srcdir/examples/which-gpus
mkdir "$tmp/bin"
# smi STATUS TEXT: an nvidia-smi that says so
smi()
{
	printf '#!/bin/sh\necho "%s"\nexit %s\n' "$2" "$1" >"$tmp/bin/nvidia-smi"
	chmod +x "$tmp/bin/nvidia-smi"
}
said() { env PATH="$tmp/bin:$PATH" "$@" "$which"; }

smi 0 'NVIDIA H100 80GB HBM3
NVIDIA H100 80GB HBM3'
ok "two GPUs are told with their name" same "$(said env -u CUDA_VISIBLE_DEVICES)" "gpu 2 NVIDIA H100 80GB HBM3"
ok "those that are visible count" same "$(said env CUDA_VISIBLE_DEVICES=1)" "gpu 1 NVIDIA H100 80GB HBM3"
ok "none that is visible is a reason" same "$(said env CUDA_VISIBLE_DEVICES=)" "none CUDA_VISIBLE_DEVICES hides all GPUs"
smi 9 'NVIDIA-SMI has failed'
ok "a driver that does not answer is a reason" same "$(said env -u CUDA_VISIBLE_DEVICES)" \
	"none the NVIDIA driver does not answer (NVIDIA-SMI has failed)"
rm "$tmp/bin/nvidia-smi"
if command -v nvidia-smi >/dev/null || [ -e /dev/nvidiactl ]; then
	skip "no GPU is a reason" "there is one"
else
	ok "no GPU is a reason" same "$(said env -u CUDA_VISIBLE_DEVICES)" "none there is no NVIDIA GPU here"
fi

# What a build can use, by a folder that looks like one: built MODULE NVCC CUDA NCCL
built()
{
	rm -rf "$tmp/build"
	mkdir -p "$tmp/build/examples/trainer/.libs" "$tmp/build/tests/standin/cuda13"
	[ "$1" = no ] || echo "needs libcudart.so.13" >"$tmp/build/examples/trainer/.libs/trainer-cuda.so"
	printf "NVCC='%s'\nHAVE_CUDA_TRUE='%s'\nHAVE_NCCL_TRUE='%s'\n" "$2" "$3" "$4" >"$tmp/build/config.log"
	for library in cuda.so.1 cudart.so.13 cupti.so.13 cublas.so.13 nccl.so.2 nvidia-ml.so.1; do
		: >"$tmp/build/tests/standin/cuda13/lib$library"
	done
	trainer 0 ""
}
# trainer STATUS TEXT: it says so, and which libraries it is to use
trainer()
{
	printf '#!/bin/sh\necho "$LD_LIBRARY_PATH" >"%s"\necho "%s"\nexit %s\n' "$tmp/path" "$2" "$1" >"$tmp/build/examples/trainer/tacho-trainer"
	chmod +x "$tmp/build/examples/trainer/tacho-trainer"
}
chosen() { env -u CUDA_VISIBLE_DEVICES PATH="$tmp/bin:$PATH" LD_LIBRARY_PATH="/mine:$tmp/build/tests/standin/cuda13" "$which" "$tmp/build"; }
two='NVIDIA H100
NVIDIA H100'
smi 0 "$two"
built yes /bin/nvcc '' ''
ok "all is there: real GPUs" same "$(chosen)" "gpu 2 NVIDIA H100"
ok "… and no library of the stand-ins next to them" same "$(cat "$tmp/path")" /mine
trainer 1 "tacho-trainer: CUDA driver version is insufficient for CUDA runtime version"
ok "a driver that is too old: stand-ins, and why" same "$(chosen)" \
	"stand-in $tmp/build/tests/standin/cuda13 2 x NVIDIA H100, but the trainer does not run on it (tacho-trainer: CUDA driver version is insufficient for CUDA runtime version)"
built yes /bin/nvcc '' '#'
ok "no NCCL: one GPU, and why" same "$(chosen)" "gpu 1 NVIDIA H100 (of 2: NCCL is not here)"
smi 0 "NVIDIA H100"
ok "which needs none alone" same "$(chosen)" "gpu 1 NVIDIA H100"
built no '' '' ''
ok "no nvcc: neither, and why" same "$(chosen)" "none 1 x NVIDIA H100, but nvcc is not here"
built no '' '#' ''
ok "no toolkit: neither, and why" same "$(chosen)" "none 1 x NVIDIA H100, but the CUDA toolkit is not here"
smi 9 'NVIDIA-SMI has failed'
built yes /bin/nvcc '' ''
ok "no driver: stand-ins, and why" same "$(chosen)" \
	"stand-in $tmp/build/tests/standin/cuda13 the NVIDIA driver does not answer (NVIDIA-SMI has failed)"
rm "$tmp/build/tests/standin/cuda13/libnccl.so.2"
ok "a stand-in that lacks: none of them" same "$(chosen)" \
	"none the NVIDIA driver does not answer (NVIDIA-SMI has failed), and stand-ins were not built"
built no '' '#' ''
ok "neither driver nor toolkit: why" same "$(chosen)" "none the CUDA toolkit is not here"
