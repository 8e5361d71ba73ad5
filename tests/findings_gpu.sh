#!/bin/sh
# Trouble with GPUs planted in a training on stand-in devices is found, and a training without
# trouble has no finding about GPUs.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/findings.sh"

trainer=$top_builddir/examples/trainer/tacho-trainer
standin=$top_builddir/tests/standin/cuda13
[ -x "$trainer" ] || skip_all "the trainer is not built (no MPI)"
[ -e "$standin/libnccl.so.2" ] || skip_all "the stand-ins are not built (no CUDA toolkit)"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
not_sanitized
export OPENBLAS_NUM_THREADS=1

# run RANKS DEVICES OPTIONS...: a recorded training in $work/run; kernels take 0.2 ms unless told
run() {
	ranks=$1 devices=$2
	shift 2
	rm -rf run
	LD_LIBRARY_PATH=$standin STANDIN_DEVICES=$devices STANDIN_KERNEL_NS=${kernel:-200000} \
		timeout 400 "$tacho" -q record -o run -- mpirun --bind-to none -n "$ranks" "$trainer" --device cuda --quiet \
		--side 8 --train-samples 512 --validate-samples 16 --test-samples 16 --model mlp --batch 16 \
		--data-dir data "$@" >log 2>&1 </dev/null
	[ -s run/tacho.db ] || { cat log; return 1; }
}

# waits RANK STATE: seconds of the rank's GPU
waits() {
	sqlite3 run/tacho.db "select coalesce(sum(t.ns), 0) / 1e9 from device_time t join device_owner o on o.device_id = t.device_id
		where t.window = 'run' and t.state = '$2' and o.rank = $1"
}

# Idle attribution lays what rank 1 reads to its own GPU; the other waits for that in NCCL.
reader_of_one() {
	for chance in 1 2 3; do
		run 2 2 --epochs 1 --plant slow-storage:4:1 || continue
		sqlite3 :memory: "select $(waits 1 idle:io_wait) > 3 * $(waits 0 idle:io_wait)
			and $(waits 0 nccl_wait) > $(waits 1 nccl_wait)" | grep -q 1 && return 0
		echo "rank 0: $(waits 0 idle:io_wait) $(waits 0 nccl_wait), rank 1: $(waits 1 idle:io_wait) $(waits 1 nccl_wait)"
	done
	return 1
}

# Hosts of a busy machine are late now and then: that is a finding about hosts, not about GPUs.
check "no finding without trouble" none "variant is not 'host'" 1 1 --epochs 4 --hidden 8 --precision bf16
check "the devices are said to be stand-ins" sh -c "'$tacho' report -s run | grep -q 'emulated GPU'"
export STANDIN_LAUNCH_NS=20000
kernel=1000
check "launches take longer than kernels" found gpu_starved/launches "kernels a step" 1 1 --epochs 4 --hidden 8
kernel=100000
check "needless waits for the GPU" found gpu_starved/synchronisations "waits for the GPU" 1 1 --epochs 4 --hidden 8 \
	--plant needless-sync
check "its evidence gives rows" proven
unset STANDIN_LAUNCH_NS kernel
check "the host sleeps in every step while the GPU waits" found step_wait/sleep "in nanosleep" 1 1 --epochs 2 --hidden 8 --plant late-launch:5
kernel=1000000
check "and is not where kernels are long" without gpu_starved/host 1 1 --epochs 1 --hidden 8
unset kernel
STANDIN_PAGEABLE_GBS=0.002
export STANDIN_PAGEABLE_GBS
check "copies from pageable memory" found pageable_copies "copies of pageable memory" 1 1 --epochs 4 --hidden 8 --pageable
check "pinned, the same go under the computing" without pageable_copies 1 1 --epochs 4 --hidden 8
unset STANDIN_PAGEABLE_GBS
# NVML is read once a second, and what it says of a moment without work does not count
export STANDIN_SM_CLOCK=900 STANDIN_THROTTLE=4
check "a power cap lowers the clock" found gpu_limited/clock "its power cap" 1 1 --epochs 16 --hidden 8
check "its evidence gives rows, too" proven
STANDIN_THROTTLE=32
check "so does heat" found gpu_limited/clock ": heat" 1 1 --epochs 16 --hidden 8
unset STANDIN_SM_CLOCK STANDIN_THROTTLE
export STANDIN_GFLOPS=0.2
check "matrices without tensor cores" found tensor_cores "sgemm" 1 1 --epochs 2 --hidden 128 --batch 64
check "the same with tensor cores" without tensor_cores 1 1 --epochs 2 --hidden 128 --batch 64 --precision bf16
unset STANDIN_GFLOPS
export STANDIN_FAULT=dropped=10
most=9
check "lost records make findings unsure" found quality "events were lost" 1 1 --epochs 4 --hidden 8 --precision bf16
most=2
unset STANDIN_FAULT
# both ranks see both GPUs
kernel=1000000
check "a slow GPU, by its rank" found step_compute "rank 1" 2 2 --epochs 1 --hidden 8 --plant slow-rank:1:8
unset kernel
check "a GPU that nobody uses" found unused_gpu "1 of 2 GPUs compute nothing" 1 2 --epochs 2 --hidden 8
export STANDIN_NCCL_RING_GBS=0.02
check "NCCL that nothing hides" found exposed_communication/nccl "NCCL moves data" 2 2 --epochs 1 --hidden 128 --overlap none \
	--precision bf16
check "it may go from GPU to GPU" same "$(counted "variant = 'transport'")" 0
export NCCL_P2P_DISABLE=1
check "NCCL that may not" found slow_link/transport "NCCL_P2P_DISABLE=1 keeps" 2 2 --epochs 1 --hidden 128 --overlap none \
	--precision bf16
unset NCCL_P2P_DISABLE STANDIN_NCCL_RING_GBS
# alone OPTIONS...: NCCL's kernels take a tenth of the GPU's time at least, and there is nobody to exchange with
alone() {
	without exposed_communication/nccl "$@" && sqlite3 run/tacho.db "select sum(case state when 'nccl_transfer' then ns end) > 0.1 * sum(ns)
		from device_time where window = 'run'" | grep -q 1
}
kernel=1000
check "NCCL of a GPU on its own" alone 1 1 --epochs 1 --hidden 1024 --overlap none
unset kernel
check "tiny messages in NCCL" found small_collectives "allreduces of 981 bytes each" 2 2 --epochs 2 --hidden 64 --plant tiny-messages
check "fused they are none" without small_collectives 2 2 --epochs 2 --hidden 64 --fusion 4
# deep GFLOPS GB/S CHECK...: a network of eight layers, whose matrices take 12.5 ms each by 1 GFLOPS and 0.02 MB of
# gradients 5 ms by 0.004 GB/s
deep() {
	export STANDIN_GFLOPS=$1 STANDIN_NCCL_RING_GBS=$2
	shift 2
	"$@" --workload gnmt --scale 4000 --batch 1 --fusion 0.02 --data-dir sentences --precision bf16
}
check "gradients of a deep network after its computing" deep 2.5 0.003 found exposed_communication/nccl "NCCL moves data" 2 2 --steps 24 \
	--overlap none
check "and under it" deep 1 0.004 without exposed_communication/nccl 2 2 --steps 16 --overlap stream
unset STANDIN_GFLOPS STANDIN_NCCL_RING_GBS
check "one GPU tests alone" found serial_phase "phase test is a serial section on rank 0" 2 2 --epochs 2 --hidden 8 \
	--precision bf16 --test-samples 2048 --data-dir tested --test-phase serial
# linked GB/S CHECK...: gradients of 7.9 MB by ring and of 4.3 MB by tree, at this rate of the bus at most;
# the ring is slow as well, so that a busy machine makes it little slower, and NVML is read more than once
linked() {
	export STANDIN_NCCL_RING_GBS=0.04 STANDIN_NCCL_TREE_BELOW=6000000 STANDIN_NCCL_TREE_GBS=$1
	shift
	"$@" 2 2 --epochs 3 --side 16 --data-dir linked --hidden 1408 --batch 128 --fusion 4 --overlap none
}
export STANDIN_NVLINK_KIBS=100000
check "all NCCL operations at one rate, by NVLink" linked 0.04 none "rule = 'slow_link'"
STANDIN_NVLINK_KIBS=1
check "NVLink that carries nothing of it" linked 0.04 found slow_link/transport "GPUs that have NVLink"
check "its evidence gives rows, too" proven
unset STANDIN_NVLINK_KIBS
check "those by tree are slower" linked 0.008 found slow_link/rate "by tree"
check "its evidence gives rows as well" proven
unset STANDIN_NCCL_RING_GBS STANDIN_NCCL_TREE_BELOW STANDIN_NCCL_TREE_GBS
export TACHO_NCCL_SAMPLE=1 STANDIN_NCCL_SLOW_LINK=1:2:10
check "one link of six at 10 MB/s" found slow_link/link "rank 1 sends to rank 2 over" 3 3 --epochs 1 --side 16 --data-dir linked \
	--hidden 1408 --batch 128 --fusion 4 --overlap none
check "its evidence gives rows, too" proven
unset TACHO_NCCL_SAMPLE STANDIN_NCCL_SLOW_LINK
kernel=1000000
check "no finding about two GPUs without trouble" none "rule in ('gpu_imbalance', 'outside_more', 'step_compute', 'unused_gpu',
	'serial_phase', 'slow_link')" 2 2 --epochs 2 --hidden 8 --precision bf16 --validate-samples 512 --data-dir held
check "one GPU has more to validate" found gpu_imbalance "in validate: the GPU of rank 1" 2 2 --epochs 2 --hidden 8 \
	--precision bf16 --validate-samples 512 --data-dir held --plant uneven:1:8
check "its evidence gives rows again" proven
kernel=200000
check "reading of one rank is io_wait of its own GPU, and nccl_wait of the other" reader_of_one

# The trainer waits for its GPU at the end of a phase; this program leaves products of 20 ms each after it.
run() {
	rm -rf run
	LD_LIBRARY_PATH=$standin STANDIN_DEVICES=2 STANDIN_GFLOPS=0.1 timeout 400 "$tacho" -q record -o run -- \
		mpirun --bind-to none -n 2 "$top_builddir/tests/e2e/gpu_behind" "$@" >log 2>&1 </dev/null
	[ -s run/tacho.db ] || { cat log; return 1; }
}

check "one GPU has more to do after the phase" found gpu_imbalance "in validate: the GPU of rank 1" 5 40
check "its evidence gives rows once more" proven
check "one GPU works after a phase alone" found serial_phase "phase validate is a serial section on rank 1" 0 30
check "both work as much" none "rule in ('gpu_imbalance', 'serial_phase')" 20 20
plan
