#!/bin/sh
# NVML by the sampler: what it says of each GPU is in the database, and energy per step.
. "$top_srcdir/tests/collector_common.sh"
program=$top_builddir/tests/e2e/nvml_run
tacho=$top_builddir/analyzer/tacho
if [ ! -x "$program" ]; then
	echo "1..0 # SKIP no CUDA toolkit"
	exit
fi
echo 1..25
LD_LIBRARY_PATH=$top_builddir/tests/standin/cuda13${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
STANDIN_POWER_W=200,100
STANDIN_SM_CLOCK=1980,1290
STANDIN_THROTTLE=0,0x4
STANDIN_NVLINK_KIBS=0,1000
STANDIN_NVML_COLD_MS=20		# the first reading alone would be asked again after 50 s
export LD_LIBRARY_PATH STANDIN_POWER_W STANDIN_SM_CLOCK STANDIN_THROTTLE STANDIN_NVLINK_KIBS STANDIN_NVML_COLD_MS

sql()
{
	sqlite3 "$tmp/run/tacho.db" "$1"
}

# The stand-in has 18 links that share the rate: one of them alone has 56. A sample has the time of the sampler's
# turn, which may be late on a busy machine: such a run is shown, and gets another chance.
all_links()
{
	[ "$(sql "select (max(value) - min(value)) * 1e9 / (max(t_ns) - min(t_ns)) / 1024 between 400 and 2000
		from sample where name = 'gpu.1.nvlink_rx'")" = 1 ] && return
	sql "select '# NVLink at ' || t_ns || ': ' || value from sample where name = 'gpu.1.nvlink_rx'"
	return 1
}

watts()
{
	sql "select group_concat(round(watts)) from (select watts from gpu_energy order by gpu)"
}

# The library's threads begin within cuInit where nothing else has told that the process is of the job.
early()
{
	run=$1
	shift
	env -u RANK -u WORLD_SIZE STANDIN_FAULT=init=700 "$@" LD_PRELOAD="$lib" TACHO_DIR="$run" timeout 60 "$program" || touch "$run.failed"
}

# These programs sleep, so they run at once. GPM: the first GPU has it, as Hopper, and links that are NVLink 5's. MIG: a
# GPU that is shared out, of which CUDA has one instance as its device, and NVML the GPU and all its instances.
STANDIN_GPM=1,0 STANDIN_GPM_SM=87 STANDIN_GPM_TENSOR=3 STANDIN_GPM_DRAM=91 STANDIN_NVLINK5=1 STANDIN_GPM_NVLINK_TX=7 \
	record "$tmp/gpm" "$program" &
gpm=$!
STANDIN_MIG=0,2 STANDIN_NVLINK_KIBS=1 STANDIN_NVLINK_KIB=8589934592 STANDIN_NVML_TYPE=2,0 \
	record "$tmp/mig" env CUDA_VISIBLE_DEVICES=1 "$program" &
mig=$!
record "$tmp/plain" "$program" plain &
STANDIN_FAULT=nonvml record "$tmp/none" "$program" &
early "$tmp/early" &
early "$tmp/unrecorded" TACHO_GPU=0 &

for chance in 1 2 3; do
	rm -rf "$tmp/run"
	record "$tmp/run" "$program"
	"$tacho" -q merge "$tmp/run" && "$tacho" -q analyze "$tmp/run"
	analysed=$?
	all_links && [ "$(watts)" = 200.0,100.0 ] && break
done
ok "a run with GPUs is merged and analysed" test $analysed = 0
ok "both GPUs are sampled" same "$(sql "select count(distinct name) from sample where name like 'gpu.%.util'")" 2
ok "with clocks" same "$(sql "select group_concat(v) from (select distinct name, cast(value as int) as v from sample
	where name like 'gpu.%.sm_clock' order by name)")" 1980,1290
ok "power" same "$(sql "select group_concat(v) from (select distinct name, cast(value as int) as v from sample
	where name like 'gpu.%.power' order by name)")" 200000,100000
ok "reasons for a lower clock" same "$(sql "select max(value) from sample where name = 'gpu.1.throttle'")" 4.0
ok "memory, temperature and PCIe" same \
	"$(sql "select count(distinct name) from sample where name in ('gpu.0.mem_used', 'gpu.0.temp', 'gpu.0.pcie_rx_rate', 'gpu.0.mem_clock')")" 4
ok "NVLink only where there is some" same "$(sql "select group_concat(distinct name) from sample where name like '%nvlink%' order by 1")" \
	gpu.1.nvlink_rx,gpu.1.nvlink_tx
ok "of all links" all_links
ok "energy is power times time" same "$(watts)" 200.0,100.0
# 20 steps of 0.2 s: 40 J and 20 J each, and somewhat more on a loaded machine
ok "and is reported per step" same "$(sql "select count(*) from gpu_energy where joules_per_step / watts between 0.19 and 2")" 2

# use NAME PROCESS: merges and analyses that run, as the one that is asked next
use()
{
	rm -rf "$tmp/run"
	wait "$2"
	mv "$tmp/$1" "$tmp/run"
	"$tacho" -q merge "$tmp/run" && "$tacho" -q analyze "$tmp/run"
}

use gpm $gpm
ok "GPM: what SMs, tensor cores and memory do, of a GPU that has it" same "$(sql "select group_concat(name || ' ' || least || ' ' || most) from
	(select name, min(value) as least, max(value) as most from sample where name glob 'gpu.*_active' or name glob '*occupancy' group by name order by name)")" \
	"gpu.0.dram_active 9100.0 9100.0,gpu.0.sm_active 8700.0 8700.0,gpu.0.sm_occupancy 4000.0 4000.0,gpu.0.tensor_active 300.0 300.0"
ok "rates of its links, where nothing counts" same "$(sql "select group_concat(name || ' ' || v) from (select distinct name, cast(value as int) as v
	from sample where name in ('gpu.0.pcie_rx_rate', 'gpu.0.nvlink_tx_rate', 'gpu.1.nvlink_tx_rate') order by name)")" "gpu.0.nvlink_tx_rate 7340032,gpu.0.pcie_rx_rate 209715200"
ok "counters of NVLink 5, of all its links" all_links
ok "Resources has them" sh -c '"$1" report -o "$2/page.html" "$2/run" >/dev/null && grep -q "Tensor cores" "$2/page.html" && grep -q "91 %" "$2/page.html"' - "$tacho" "$tmp"

# It waits for a fifth of a second: more is lost where the asking thread's core is taken away for longer.
for chance in 1 2 3; do
	rm -rf "$tmp/short"
	STANDIN_NVML_COLD_MS=0 STANDIN_PCIE_US=20000 record "$tmp/short" "$program" short
	status=$?
	[ $status = 70 ] || break
done
ok "an end while NVML is asked waits for the answer" test $status = 0
use mig $mig
ok "an instance's samples are those of the program's device" same "$(sql "select e.key from environment e
	join device d on d.uuid = e.value where d.uuid like 'MIG-%'")" gpu.1.0
ok "they tell its memory, and nothing of the whole GPU's" same "$(sql "select group_concat(distinct name) from sample
	where name glob 'gpu.1.[0-9]*'")" gpu.1.0.mem_used,gpu.1.2.mem_used
ok "the one that the program uses, not the other's" same "$(sql "select group_concat(n) from (select name,
	cast(max(value) as int) as n from sample where name glob 'gpu.1.[0-9]*' group by name order by name)")" 1048576,0
ok "its GPU has power, and neither use nor memory" same "$(sql "select group_concat(name) from (select distinct name
	from sample where name in ('gpu.1.power', 'gpu.1.util', 'gpu.1.mem_used', 'gpu.1.energy') order by name)")" gpu.1.energy,gpu.1.power
ok "a counter beyond 32 bits is whole, as unsigned long and as a double" same "$(sql "select count(distinct name), min(value) >= 8796093022208,
	max(value) < 8796093122208 * 2 from sample where name glob 'gpu.[01].nvlink_tx'")" "2|1|1"
ok "of emulated GPUs, as the table says" same "$("$tacho" stats "$tmp/run" energy --format csv | cut -d, -f3 | sort -u | tr '\n' ' ')" "emulated kind "
# asked RUN: how many samples of the first GPU it has
asked()
{
	"$tacho" -q merge -f "$1" >&2 && "$tacho" dump "$1" | grep -c '"gpu\.0\.'
}
wait
ok "a program without CUDA and driver loads no NVML" same "$(asked "$tmp/plain")" 0
ok "where NVML finds nothing the rest goes on" sh -c 'test "$1" -gt 10 -a "$2" = 0' - \
	"$(lines "$tmp/none" '^sample')" "$(asked "$tmp/none")"
ok "NVML is left alone while CUDA initialises, and asked later" test ! -e "$tmp/early.failed" -a "$(asked "$tmp/early")" -gt 0
ok "also where GPUs are not recorded" test ! -e "$tmp/unrecorded.failed" -a "$(asked "$tmp/unrecorded")" -gt 0
