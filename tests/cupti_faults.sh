#!/bin/sh
# What CUPTI may do wrong: each has its one line or its counted loss, and the rest of the
# recording goes on.
. "$top_srcdir/tests/cupti_common.sh"
need 68
run=$tmp/run

# fault NAME: 5 steps of 20 kernels, 10 + 5 copies, 1 set
fault()
{
	STANDIN_FAULT=$1 loop 13 -- 5 20
}

sql_is()
{
	same "$(sql "$1")" "$2"
}

fault taken
ok "a taken subscriber is said once" said 'GPUs are not recorded: another tool.*holds CUPTI'
ok "… and stands in the database" same "$(property gpu_tracing)" \
	"off: another tool, such as a profiler, holds CUPTI (error 39)"
ok "… and in the summary" sh -c "tr -s ' \n' ' ' <'$tmp/err' | grep -q 'GPUs are not recorded of rank 0: another tool'"
ok "… and the program and its steps are recorded" same "$(sql 'select count(*) from step') $(printed)" \
	"5 kernels 100 h2d 10 d2h 5 sets 1 bytes 64000 "

mkdir "$tmp/libraries"
cp "$standin/cuda13/libcuda.so.1" "$standin/cuda13/libcudart.so.13" "$tmp/libraries"
libraries=$tmp/libraries loop 13 -- 5 20
# where there is a toolkit its libcupti is found, and refuses for lack of a driver
ok "a missing or unusable library is said once" said 'GPUs are not recorded: \(no usable libcupti\|CUPTI refuses (error 999.*check the driver\)'
ok "… and the program and its steps are recorded" same "$(sql 'select count(*) from step') $(printed)" \
	"5 kernels 100 h2d 10 d2h 5 sets 1 bytes 64000 "
# where a static runtime, or a program of the driver alone, leaves nothing to look next to
mkdir -p "$tmp/home/extras/CUPTI/lib64" "$tmp/conda/lib" "$tmp/python/site-packages/own" \
	"$tmp/python/site-packages/triton/backends/nvidia/lib/cupti"
for folder in home/extras/CUPTI/lib64 conda/lib python/site-packages/triton/backends/nvidia/lib/cupti; do
	cp "$standin/cuda13/libcupti.so.13" "$tmp/$folder"
done
cp "$tmp/libraries"/* "$tmp/python/site-packages/own"
CUDA_HOME=$tmp/home libraries=$tmp/libraries loop 13 -- 5 20
ok "one below CUDA_HOME is found" counts_agree
CONDA_PREFIX=$tmp/conda libraries=$tmp/libraries loop 13 -- 5 20
ok "… below CONDA_PREFIX" counts_agree
libraries=$tmp/python/site-packages/own loop 13 -- 5 20
ok "… next to Python's packages" counts_agree
TACHO_CUPTI=$standin/cuda13/libcupti.so.13 libraries=$tmp/libraries loop 13 -- 5 20
ok "TACHO_CUPTI names one" counts_agree

fault dropped=7
ok "dropped records are counted" same "$(lost)$(found)" "gpu_dropped 16 kernels 86 h2d 9 d2h 4 sets 1 bytes 56000 "
ok "… and what is left holds the checks" checks_hold
fault nested=40
ok "kernels that CUPTI leaves out behind one that launches kernels are counted" same "$(lost)$(sql 'select sum(calls) from kernel')" \
	"gpu_late $(sql "select 100 - sum(calls) from kernel where name = 'half'") 40"
ok "… and what is left holds the checks" checks_hold
fault end0=10
ok "activities without times are counted" same "$(lost)$(found)" "gpu_untimed 11 kernels 90 h2d 10 d2h 4 sets 1 bytes 60000 "
ok "… and what is left holds the checks" checks_hold
fault unordered=3
ok "unordered records are put in order" counts_agree
ok "… and hold the checks" checks_hold
fault late
ok "late records are waited for" counts_agree
fault unknown=5
ok "unknown kinds are passed over" counts_agree
fault timestamp
ok "where CUPTI refuses our clock times are paired" same "$(property gpu_clock) $(found)" "paired $(printed)"
ok "… to within what the order of launches allows" same "$(sql "select count(*),
	coalesce(max(cast(substr(message, instr(message, 'by up to ') + 9) as integer)), 0) < 1000000 from checks where name = 'causality'")" "1 1"
# more than one buffer before the first fetch, when there is but the first pair
STANDIN_FAULT=timestamp loop 13 -- 10 1500
ok "… from the first activity on" checks_hold

TACHO_GPU_CLOCK=paired loop 13 -- 5 20
ok "TACHO_GPU_CLOCK=paired leaves CUPTI its own clock" same "$(property gpu_clock) $(found)" "paired $(printed)"
fault anchor
ok "CUPTI adds the GPU's nanoseconds to our clock: launches come first, steps hold their kernels" checks_hold
kernels=$(sql "select count(*) from kernel where min_ns between 500 and 5e6 and name = 'half'")
ok "… and kernels last what they last" same "$kernels" 1
fault strange=4
ok "records in another clock are counted, not placed" same "$(lost)$(sql "select duration_ns < 30e9 from run")" \
	"gpu_untimed 4 1"

fault hang
ok "a flush that hangs is given up" said 'CUPTI did not deliver the last GPU activities within'
ok "… and its launches are counted" same "$(lost)" "gpu_late 116 "

# the helper looks once a second
CUDA_INJECTION64_PATH=/nowhere/other.so STANDIN_LAUNCH_NS=300000000 loop 13 -- 2 8
ok "another tool that the driver was told to load is said once" said 'CUDA_INJECTION64_PATH names another tool'

# The profiler in PyTorch has two of eight parts of 40 steps: each is 5 steps of 10 kernels.
for mode in guest guest_clock; do
	loop 13 -- 40 10 $mode
	ok "$mode: another profiler in the program has its kernels, and no other" same "$(grep 'guest has' "$tmp/out" | tr '\n' ' ')" \
		"guest has 50 kernels guest has 100 kernels "
	ok "$mode: all kernels and launches are recorded" same "$(sql "select sum(calls) from kernel where name = 'half'") $(
		sql "select calls from call where name = 'cudaLaunchKernel'")" "400 400"
	ok "$mode: … and copies; nothing is lost or said" same "$(sql "select sum(calls) from kernel where name glob 'memcpy*'") $(lost)$(grep '^tacho' "$tmp/err")" "120 "
	ok "$mode: … and checks hold" checks_hold
	ok "$mode: … and its turns are reported" same "$(sql "select count(*) from environment where key glob 'gpu_guest.*'
		and value glob '[0-9]*.[0-9]* [0-9]*.[0-9]*'")" 2
done
loop 13 -- 40 10 guest
ok "its callbacks and what it notes in them are its own" same "$(grep 'guest saw' "$tmp/out")" "guest saw 300 launches"

# CUPTI of CUDA 13.3 has several subscribers, which are named in each call.
gaps()
{
	sql "select count(*) from environment where key glob 'gpu_gap.*' and value glob '[0-9]*.[0-9]* [0-9]*.[0-9]*'"
}
for mode in scoped scoped_solo; do
	libraries=$standin/cuda133 loop 13 -- 40 10 $mode
	ok "$mode: a subscriber beside ours has its kernels and callbacks" same "$(grep guest "$tmp/out" | tr '\n' ' ')" \
		"guest has 50 kernels guest has 100 kernels guest saw 100 launches "
	ok "$mode: ours is one of several, and all is recorded" same "$(property gpu_subscriber) $(found)$(lost)$(gaps)$(grep '^tacho' "$tmp/err")" \
		"one of several $(printed)0"
	ok "$mode: … and checks hold" checks_hold
done
libraries=$standin/cuda133 loop 13 -- 40 10 guest
ok "calls that name no subscriber are a guest's, next to ours that is named" same \
	"$(grep guest "$tmp/out" | tr '\n' ' ')$(sql "select sum(calls) from kernel where name = 'half'") $(property gpu_subscriber)" \
	"guest has 50 kernels guest has 100 kernels guest saw 300 launches 400 one of several"
ok "… and nothing is lost" same "$(lost)$(grep '^tacho' "$tmp/err")" ""
TACHO_CUPTI_V2=0 libraries=$standin/cuda133 loop 13 -- 4 10
ok "TACHO_CUPTI_V2=0 leaves the names out" same "$(property gpu_subscriber) $(found)" "alone $(printed)"

# An older driver has one subscriber, which is the program's for two of eight parts.
STANDIN_FAULT=single libraries=$standin/cuda133 loop 13 -- 40 10 scoped_solo
ok "where there is one subscriber the program's has CUPTI meanwhile" same "$(grep guest "$tmp/out" | tr '\n' ' ')" \
	"guest has 50 kernels guest has 100 kernels guest saw 100 launches "
ok "… and ours before, between and afterwards" same "$(sql "select sum(calls) from kernel where name = 'half'") $(
	sql "select calls from call where name = 'cudaLaunchKernel'") $(lost)" "300 300 "
"$tacho" report -o "$tmp/page.html" "$run" >/dev/null
ok "… and the report says from when to when" same "$(gaps) $(grep -o 'another profiler had CUPTI from [0-9.]* s to [0-9.]* s of the run, 2 times' "$tmp/page.html" | sort -u | wc -l)" "2 1"
ok "… and that time is not idle" sql_is "select count(*), min(ns) > 0 from device_time where state = 'not_in_detail' and window = 'run'" "2 1"
ok "… and checks hold" checks_hold
STANDIN_FAULT=single libraries=$standin/cuda133 loop 13 -- 40 10 scoped
ok "one that CUPTI refuses takes nothing away" same "$(grep -c 'refused 39' "$tmp/out") $(found)$(lost)" "2 $(printed)"
STANDIN_FAULT=single,sticky libraries=$standin/cuda133 loop 13 -- 40 10 scoped_solo
ok "if CUPTI does not take us back this is said" said 'not recorded any more: CUPTI refuses (error 39) since another profiler had it'
ok "… and all that was recorded before is there" sql_is "select sum(calls) from kernel where name = 'half'" 100
TACHO_CUPTI_YIELD=0 loop 13 -- 4 10 rival
ok "another profiler in the program is refused" same "$(grep rival "$tmp/out") $(found)" "rival 39 39 39 $(printed)"
for version in 12 13; do
	TACHO_CUPTI_YIELD=0 loop $version -- 4 10 rival_found
	ok "… also one that finds CUPTI by dlopen and dlsym (CUDA $version)" \
		same "$(grep rival "$tmp/out") $(found)" "rival 39 39 39 $(printed)"
done

# found YIELD: a profiler in Python that finds CUPTI by ctypes
found_by_ctypes()
{
	rm -rf "$run"
	TACHO_CUPTI_YIELD=$1 STANDIN_GFLOPS=${2:-10} LD_LIBRARY_PATH=$standin/cuda13 timeout 200 "$tacho" -q record -o "$run" -- \
		python3 "$top_srcdir/tests/gpu/found.py" "$standin/cuda13" 40 >"$tmp/out" 2>"$tmp/err"
	echo "$? $(tr '\n' ' ' <"$tmp/out")$(sql "select sum(calls) from kernel where name like '%sgemm%'") $(lost)"
}
ok "… and one that finds it by ctypes in Python" same "$(found_by_ctypes 0)" "0 found 39 39 39 seen 0 of 40 products 120 120 "
ok "by default that one is served, and nothing of ours is lost" same "$(found_by_ctypes)" "0 found 0 0 0 seen 40 of 40 products 120 120 "
found_by_ctypes "" 0.0005 >"$tmp/long"
ok "kernels that it interrupts are counted once" sql_is "select (select sum(calls) from kernel where name like '%sgemm%') + (
	select sum(count) from loss where reason = 'gpu_untimed'), (select sum(count) from loss) between 1 and 40" "120 1"
TACHO_CUPTI_YIELD=1 loop 13 -- 4 10 rival_busy
ok "work that has ended is delivered before CUPTI is given away" \
	sql_is "select sum(calls) from kernel where name = 'half'" 20
ok "… and work that still runs is counted" sql_is "select sum(count) from loss where reason = 'gpu_untimed'" 1
TACHO_CUPTI_YIELD=1 loop 13 -- 4 10 rival
ok "TACHO_CUPTI_YIELD=1 lets it have CUPTI, and says so" said 'another tool takes CUPTI'
ok "… and fetches nothing any more" same "$(grep threads "$tmp/out")" "threads 0"
