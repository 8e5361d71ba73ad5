#!/bin/sh
# What quickstart says of the GPUs that it finds: which, or why there are none.
. "$top_srcdir/tests/collector_common.sh"
echo 1..5
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
