#!/bin/sh
# Ends of programs that use GPUs: killed at any moment, forked, left by _exit; and programs
# that use none.
. "$top_srcdir/tests/cupti_common.sh"
need 28
run=$tmp/run
lib=$(cd "$top_builddir" && pwd)/collector/.libs/libtacho.so

# The figures of all of the analysis are possible, whatever is missing.
possible()
{
	timeout 120 "$tacho" -q analyze "$run" && same "$(cat "$top_srcdir/tests/identities.sql" "$top_srcdir/tests/promises.sql" | sqlite3 -readonly "$run/tacho.db")" ""
}

sql_is()
{
	same "$(sql "$1")" "$2"
}

# Figures of the GPU say that they are of a part of it.
flagged()
{
	sql_is "select count(value), total(coalesce(flag, '') not like 'events were lost%') from metric where window = 'run' and model = 'device'
		and name in ('busy_share', 'idle_share', 'device_parallel_efficiency', 'load_balance') and value is not null and subject not like 'gpu:0:1'" "5 0.0"
}

# Launches in the trace = activities + launches reported as late.
kill_after()
{
	rm -rf "$run"
	LD_LIBRARY_PATH=$standin/cuda13 LD_PRELOAD=$lib TACHO_DIR=$run RANK=0 WORLD_SIZE=1 \
		"$top_builddir/tests/cupti/loop13" 3 20 hold >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	while ! grep -q ready "$tmp/out" && kill -0 $pid 2>/dev/null; do
		sleep 0.05
	done
	sleep "$1"
	kill -9 $pid
	wait $pid 2>/dev/null
	timeout 60 "$tacho" -q merge "$run" && timeout 120 "$tacho" -q analyze --summary "$run" || return 1
	launched=$(sql "select sum(calls) from call where name in ('cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaMemset')")
	nlate=$(sql "select coalesce(sum(count), 0) from loss where reason = 'gpu_late'")
	ran=$(sql "select coalesce(sum(calls), 0) from kernel")
	echo "$launched launched, $ran ran, $nlate late"
	# the call that it was inside of counts as a call, and nobody knows what became of it
	inside=$(sql "select count(*) from location where is_main and inside in ('cudaLaunchKernel', 'cudaMemcpyAsync')")
	[ "$launched" -gt 60 ] && [ "$launched" = $((ran + nlate + inside)) ]
}

ok "killed at once: all that was launched ran or is reported as lost" kill_after 0
for i in 1 2 3; do
	ok "killed at a random moment ($i): all that was launched ran or is reported as lost" \
		kill_after "$(awk -v seed="$$$i" 'BEGIN { srand(seed); printf "%.2f", rand() * 1.5 }')"
done

ok "… and figures are possible" possible

# What has ended is fetched ten times a second: half a second after the last work a signal loses nothing.
for i in 1 2 3; do
	rm -rf "$run"
	LD_LIBRARY_PATH=$standin/cuda13 LD_PRELOAD=$lib TACHO_DIR=$run RANK=0 WORLD_SIZE=1 \
		"$top_builddir/tests/cupti/loop13" 3 20 idle >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	while ! grep -q ready "$tmp/out" && kill -0 $pid 2>/dev/null; do
		sleep 0.05
	done
	sleep 0.5
	kill -TERM $pid
	wait $pid 2>/dev/null
	timeout 60 "$tacho" -q merge "$run" && timeout 120 "$tacho" -q analyze --summary "$run"
	ok "a signal that ends the program loses nothing that had ended half a second before ($i)" \
		same "$(found)$(lost)" "$(printed)"
done

# A kernel that waits, and kernels that are few: no buffer comes for seconds, and none is lost. A fetch by force
# loses the one that waits, and what is lost is counted.
loop 13 -- 3 20 late
ok "a kernel that waits for 2.5 s keeps its record and its time" \
	sql_is "select sum(calls), max_ns between 2.4e9 and 4e9 from kernel where name = 'late'" "1 1"
ok "… and kernels of 300 ms, of which fewer than ten are in a second" sql_is "select sum(calls) from kernel where name = 'slow'" 6
ok "… and nothing is lost" same "$(lost)$(found)" "$(printed)"
export TACHO_GPU_FORCE=1
loop 13 -- 3 20 late
unset TACHO_GPU_FORCE
ok "… fetched by force the one that waits has no time, and is counted" \
	sql_is "select (select count(*) from kernel where name = 'late'), (select count > 0 from loss where reason = 'gpu_untimed')" "0 1"
ok "… none is counted twice" sql_is "select coalesce(sum(calls), 0) + (select sum(count) from loss where reason = 'gpu_untimed')
	from kernel where name in ('late', 'slow')" 7

# A kernel that hangs keeps back its buffer, and with it the kernels before and beside it.
rm -rf "$run"
TACHO_GPU_FORCE=1 LD_LIBRARY_PATH=$standin/cuda13 LD_PRELOAD=$lib TACHO_DIR=$run RANK=0 WORLD_SIZE=1 \
	"$top_builddir/tests/cupti/loop13" 3 20 stuck >"$tmp/out" 2>"$tmp/err" &
pid=$!
while ! grep -q ready "$tmp/out" && kill -0 $pid 2>/dev/null; do
	sleep 0.05
done
# the fetch by force comes a second after the last activity that came by itself
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ "$("$top_builddir/tests/unit/spool_dump" "$run"/spool/* 2>/dev/null | grep -c '^kernel depth=')" -lt 80 ] || break
	sleep 1
done
kill -9 $pid
wait $pid 2>/dev/null
timeout 60 "$tacho" -q merge "$run" && timeout 120 "$tacho" -q analyze --summary "$run"
ok "killed while a kernel hangs: what ran before and beside it is there" \
	same "$(sql "select sum(calls) from kernel where name = 'half'")" "$(sed -n 's/^kernels //p' "$tmp/out")"
ok "… and the one that hangs has no time, and is late" same "$(lost)" "gpu_late 1 gpu_untimed 1 "
ok "… and figures are possible" possible
ok "… the host's time since then is in the call that waits for it" sql_is "select ns > 0.5e9 from host_time where window = 'run' and state = 'cuda'" 1
ok "… and nobody is told without a flag what share of its time the GPU was busy" flagged

loop 13 --max-spool 8K -- 60 200
ok "what a spool has no room for is lost" [ -n "$(lost)" ]
ok "… which figures of the GPU say" flagged
ok "… and figures are possible" possible

loop 13 -- 6 20 _exit
ok "_exit loses nothing" counts_agree
loop 13 -- 6 20 exec
ok "an exec loses nothing, nor does one that fails" counts_agree
ok "… and nothing is reported as lost" same "$(lost)" ""
loop 13 -- 6 20 fork
ok "a forked child loses nothing of its parent" counts_agree
ok "… is recorded itself" same "$(sql "select count(*) from process where rank is null") $(lost)" "1 "
ok "… and says nothing" same "$(grep -c '^tacho' "$tmp/err")" 0

# Names of files of CUDA in a process that does not use it.
loaded()
{
	env LD_PRELOAD="$lib" TACHO_DIR="$tmp/none" RANK=0 WORLD_SIZE=1 \
		sh -c 'cat /proc/self/maps; exec cat /proc/self/maps' | grep -Eo 'lib(cuda|cudart|cupti|nccl|nvidia)[^ ]*' | sort -u
}
ok "a program without GPUs loads nothing of CUDA" same "$(loaded)" ""
