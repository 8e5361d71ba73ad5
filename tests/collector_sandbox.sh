#!/bin/sh
# A program that limits its own system calls, or forbids itself the time stamp counter, goes on as it
# would without tacho; what it did before is recorded.
. "$top_srcdir/tests/e2e/lib.sh"

program=$top_builddir/tests/unit/collector_sandbox
"$program" filter >/dev/null 2>&1
[ $? -eq 7 ] || skip_all "the kernel has no seccomp filters, or this container forbids them"

# under_tacho HOW...: status and output are the program's own.
under_tacho() {
	rm -rf run data
	timeout 60 "$tacho" record --all -o run -- "$program" "$@" >out 2>err
	status=$?
	sed 's/^/# /' err
	[ $status -eq 7 ] && grep -q 'locked in' out
}

# What was done before is there: 401 calls, and no more of the process.
recorded_before() {
	under_tacho "$@" && same "$(grep -c 'recording of process' err)" 1 &&
	same "$(query "select calls from call where name = 'pread'")" 200 &&
	same "$(query "select count(*) from loss where reason = 'sandbox'")" 1
}

recorded_all() {
	under_tacho "$@" && same "$(grep -c 'recording of process' err)" 0 &&
	same "$(query "select sum(calls) from call where name = 'pread'")" 600
}

inert() {
	under_tacho "$@"
	[ $status -eq 7 ] && grep -q 'is not recorded, as it began' err
}

check "strict mode: recording ends first, with a line" recorded_before strict
check "a filter that kills, by prctl" recorded_before filter
check "the same for all threads, by syscall()" recorded_before all
check "no time stamp counter" recorded_before tsc
check "a program that only asks is recorded to its end" recorded_all probe
check "one that begins under a filter is left alone" inert inherit plain
plan
