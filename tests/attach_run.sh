#!/bin/sh
# tacho record --pid: processes that run already are recorded from outside. A PyTorch training's sleeping line has
# its share; ranks, children and a C program are there; nothing is stopped, and what cannot be recorded is said.
. "$top_srcdir/tests/python_common.sh"
python=/usr/bin/python3
program=$top_srcdir/tests/python/attached.py
[ -r /proc/self/syscall ] && [ -x $python ] || { echo "1..0 # SKIP no $python, or no /proc/PID/syscall"; exit 0; }
echo 1..25
line=$(grep -n 'time.sleep(seconds)' "$program" | cut -d : -f 1)

# started NAME: waits until the program that writes $tmp/NAME.out is in its loop
started()
{
	for i in $(seq 600); do
		grep -q ready "$tmp/$1.out" 2>/dev/null && return
		sleep 0.1
	done
}

# share: of the main thread's time in the planted line, in thousandths
share()
{
	db "select cast(1000.0 * sum(case when line = $line and function = 'planted' then ns end) / sum(ns) as integer)
		from python_line where thread = 'main'"
}

near()
{
	awk -v found="$1" -v truth="$2" 'BEGIN { d = found / 1000 - truth; print found, truth; exit !(d < 0.1 && d > -0.1) }'
}

# has_share TEXT FOUND TRUTH: looks are late where the recorder waits for a core, and count for what they find then
has_share()
{
	if near "$2" "$3" >/dev/null || ! disturbed; then
		ok "$1" near "$2" "$3"
	else
		skip "$1" "the machine was too busy, three times"
	fi
}

for try in 1 2 3; do
	rm -rf "$tmp/run" "$tmp/a.out"
	$python "$program" "$tmp/truth" 8 >"$tmp/a.out" &
	pid=$!
	started a
	"$tacho" record --pid $pid --for 4 -o "$tmp/run" >"$tmp/summary" 2>&1 &
	recorder=$!
	sleep 2
	tracer=$(sed -n 's/^TracerPid:\t//p' /proc/$pid/status)
	"$tacho" where "$tmp/run" >"$tmp/where" 2>&1
	wait $recorder
	status=$?
	alive=$(kill -0 $pid 2>&1 && echo yes)
	wait $pid
	ended=$?
	near "$(share)" "$(cat "$tmp/truth")" >/dev/null && break
done
ok "a run that is recorded from outside ends well" same $status 0
has_share "a line that sleeps has its share of the time" "$(share)" "$(cat "$tmp/truth")"
ok "it is seen in the call that waits" same "$(db "select distinct state || ' ' || call from python_line l join python_sample using (state)
	where line = $line and call is not null")" "wait clock_nanosleep"
ok "the program was never traced, and goes on afterwards" same "$tracer $alive $ended" "0 yes 0"
ok "what was recorded is said" same "$(db "select value from environment where key = 'attached'")" "counters calls python"
ok "calls count as not recorded" same "$(db "select group_concat(distinct state) from host_time where ns > 0")" absent
ok "counters are there" sql "select value > 0 from metric where name = 'core_ran' and subject = 'rank:0'"
ok "the summary names the line" grep -q "planted() at attached.py:$line" "$tmp/summary"
ok "and what cannot be seen" grep -q "cannot be seen from" "$tmp/summary"
ok "no warning is" same "$(grep -c warning "$tmp/summary")" 0
ok "meanwhile tacho where names the line" grep -q "attached.py:" "$tmp/where"

# two ranks, of which the first has data-loader workers
if $python -c 'import torch' 2>/dev/null; then
	RANK=0 WORLD_SIZE=2 $python "$program" "$tmp/t0" 40 2 >"$tmp/b.out" &
	first=$!
	RANK=1 WORLD_SIZE=2 $python "$program" "$tmp/t1" 40 >"$tmp/c.out" &
	second=$!
	started b
	started c
	rm -rf "$tmp/run"
	"$tacho" -q record --pid $first,$second --for 4s -o "$tmp/run" >"$tmp/out" 2>&1
	ok "ranks are those of the launcher, with their children" same "$(db "select group_concat(rank) from process where rank is not null;
		select count(*) from process p join process r on r.id = p.parent_id where p.rank is null and r.rank = 0")" "0,1
2"
	ok "lines of workers are there" sql "select count(*) > 0 from python_line where thread = 'child' and line is not null"
	kill $first $second 2>/dev/null
	wait $first $second 2>/dev/null
else
	skip "ranks are those of the launcher, with their children" "no torch"
	skip "lines of workers are there" "no torch"
fi

# a program without Python, whose end ends the recording
cat >"$tmp/sleeper.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static double slept;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static __attribute__((noinline)) void nap(void)
{
	struct timespec t = { .tv_nsec = 20000000 };
	double at = now();

	nanosleep(&t, NULL);
	slept += now() - at;
}

static __attribute__((noinline)) void inner(void)
{
	nap();
	__asm__ volatile("");
}

static void *wait_for_ever(void *lock)
{
	pthread_mutex_lock(lock);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	double begin = now();
	FILE *file;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, wait_for_ever, &lock);
	puts("ready");
	fflush(stdout);
	while (now() - begin < 4) {
		double at = now();

		while (now() - at < 0.01)
			;
		inner();
	}
	file = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (file) {
		fprintf(file, "%.3f\n", slept / (now() - begin));
		fclose(file);
	}
	return 0;
}
END
cc -O2 -o "$tmp/sleeper" "$tmp/sleeper.c" -pthread
nap_share()
{
	db "select cast(1000.0 * sum(case when function = 'nap' then ns end) / sum(ns) as integer) from python_line where thread = 'main'"
}
for try in 1 2 3; do
	rm -rf "$tmp/run" "$tmp/d.out"
	"$tmp/sleeper" "$tmp/slept" >"$tmp/d.out" &
	pid=$!
	started d
	timeout 100 "$tacho" -q record --pid $pid -o "$tmp/run" >"$tmp/out" 2>&1
	status=$?
	wait $pid
	near "$(nap_share)" "$(cat "$tmp/slept")" >/dev/null && break
done
truth=$(cat "$tmp/slept")
has_share "a C program's function has its share of the time" "$(nap_share)" "$truth"
ok "with its callers" same "$(db "with recursive up(function, caller_id) as (select function, caller_id from python_frame where function = 'nap'
	union all select f.function, f.caller_id from python_frame f join up on f.id = up.caller_id)
	select group_concat(function) from (select function from up limit 3)")" "nap,inner,main"
ok "a thread that waits for a lock is waiting" same "$(db "select distinct s.state || ' ' || s.call from python_sample s
	join location l on l.id = s.location_id where not l.is_main")" "wait futex"
ok "a C program is recorded until it ends" same "$status $(db "select value from environment where key = 'attached'")" "0 counters calls native"

# a socket that nothing arrives at
cat >"$tmp/hears.py" <<'END'
import socket
server = socket.create_server(("127.0.0.1", 0))
near = socket.create_connection(server.getsockname())
far, _ = server.accept()
print("ready", *near.getsockname()[:2], *far.getsockname()[:2], flush=True)
near.settimeout(None)
near.recv(1)
END
$python "$tmp/hears.py" >"$tmp/e.out" &
pid=$!
started e
rm -rf "$tmp/run"
"$tacho" -q record --pid $pid --for 4 -o "$tmp/run" >"$tmp/out" 2>&1 &
recorder=$!
sleep 2
"$tacho" where "$tmp/run" >"$tmp/where" 2>&1
wait $recorder
kill $pid
wait $pid 2>/dev/null
ok "a thread that waits at a socket names the connection" grep -q "$(awk '{ printf "socket:tcp %s:%s - %s:%s", $2, $3, $4, $5 }' "$tmp/e.out")" \
	"$tmp/where"

# A shell starts a program; Ctrl-C ends the recording and not the program.
sh -c '"$@" & wait' sh $python "$program" "$tmp/truth" 60 >"$tmp/f.out" &
pid=$!
started f
rm -rf "$tmp/run"
timeout -s INT 4 "$tacho" -q record --pid $pid -o "$tmp/run" >"$tmp/out" 2>&1
child=$(pgrep -P $pid)
ok "Ctrl-C ends a recording, which is complete" sql "select count(*) from run"
ok "a shell is left out, its child is the rank" same "$(db "select pid from process where rank = 0") $(db 'select count(*) from process')" "$child 1"

# without the right to read memory
text="without rights only counters are recorded"
if [ "$(id -u)" = 0 ] && setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace true 2>/dev/null; then
	rm -rf "$tmp/run"
	setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$tacho" record --pid "$child" --for 2 -o "$tmp/run" >"$tmp/out" 2>&1
	ok "$text" same "$(grep -c 'only counters are recorded' "$tmp/out") $(db "select value from environment where key = 'attached'")" "1 counters"
else
	skip "$text" "not root, or no setpriv"
fi
kill "$child"
wait $pid

# a process that has CUDA's driver loaded: NVML's counters, here of the stand-in
text="of a process with CUDA the counters of GPUs are recorded"
standin=$(cd "$top_builddir" && pwd)/tests/standin/cuda13
if [ -e "$standin/libnvidia-ml.so.1" ]; then
	LD_LIBRARY_PATH=$standin $python -c 'import ctypes, time; ctypes.CDLL("libcuda.so.1"); print("ready", flush=True); time.sleep(60)' >"$tmp/g.out" &
	pid=$!
	started g
	rm -rf "$tmp/run"
	LD_LIBRARY_PATH=$standin "$tacho" -q record --pid $pid --for 4 -o "$tmp/run" >"$tmp/out" 2>&1
	kill $pid
	wait $pid
	ok "$text" sql "select count(*) > 0 from sample where name = 'gpu.0.util' and value is not null"
else
	skip "$text" "no CUDA toolkit"
fi

# says NUMBER TEXT ARGUMENT...: exit status and error
says()
{
	number=$1
	text=$2
	shift 2
	"$tacho" record -o "$tmp/none" "$@" >"$tmp/out" 2>&1
	[ $? = "$number" ] && grep -q -- "$text" "$tmp/out" && [ ! -e "$tmp/none" ] || { cat "$tmp/out"; false; }
}
ok "a process that is not there" says 1 "there is no process 4194304" --pid 4194304
ok "options that need the library inside" says 2 "cannot be used with --pid" --pid $$ --steps 1:2
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups "$tacho" --version >/dev/null 2>&1; then
	ok "another user's process" sh -c "setpriv --reuid 65534 --clear-groups '$tacho' record --pid $$ -o /none 2>&1 | grep -q \"another user's\""
else
	skip "another user's process" "not root, or tacho cannot run as another user"
fi
