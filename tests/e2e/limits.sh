#!/bin/sh
# What keeps ranks from running that is no other program: who suspends them, and the CPU quota of a control group. Each is
# a cause of its own, and no run-queue wait for other programs.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
not_sanitized
"$MPICC_OPENMPI" -O2 -o load "$top_srcdir/tests/e2e/limits_load.c" || exit 99

# records RUN COMMAND...: two ranks
records() {
	run=$1
	shift
	timeout 200 "$tacho" -q record -f -o "$run" -- mpirun -n 2 "$@" >"$run.out" 2>&1 || { cat "$run.out"; return 1; }
}

# between FOUND LOW HIGH
between() {
	awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x >= a && x <= b) }' || { echo "found $1, expected $2 to $3"; return 1; }
}

# the helper sleeps for up to 0.1 s of it anyway
stop_found="select total(seconds) from finding where rule = 'suspended' and message like 'suspended: rank 0 was stopped from%'"
check "a run whose rank 0 is stopped for 2.5 s" records late ./load 800 300 2500
check "has that as a figure" between "$(query "select total(value) / 1e9 from metric where model = 'counters'
	and name = 'stopped' and subject = 'rank:0'" late)" 2.35 3
check "and as a finding" between "$(query "$stop_found" late)" 2.35 3
check "and no other one blames the program for it" same "$(query "select count(*) from finding where rule in ('blocked', 'step_wait')" late)" 0
check "one that is stopped as it begins" records early ./load 800 1 2500
check "has it, too" between "$(query "$stop_found" early)" 2.35 3
check "and waits in the run queue no longer than the kernel counts" query "select 1 / (max(w.value) <= 0.02 + max(c.value) / duration_ns)
	from run, metric w, metric c where w.name = 'without_core' and w.window = 'run' and c.name = 'core_waited' and c.window = 'run'" early
check "one that is not stopped" records free ./load 800
check "has no such finding" same "$(query "select count(*) from finding where rule = 'suspended'" free)" 0
check "and no such figure" same "$(query "select count(*) from metric where name = 'stopped'" free)" 0

# account HOW: the check of the second account; nice, as of ranks without a core less is known
"$MPICC_OPENMPI" -O2 -o account "$top_srcdir/tests/e2e/account_load.c" || exit 99
account() {
	timeout 200 nice -n -19 "$tacho" -q record -f -o "$1" -- mpirun -n 1 --bind-to none ./account "$1" >"$1.out" 2>&1 ||
		{ cat "$1.out"; return 1; }
	query "select group_concat(ok) from checks where name = 'cpu_time_in_states'" "$1"
}
# seconds NAME RUN
seconds() {
	query "select value / 1e9 from metric where model = 'account' and name = '$1' and subject = 'rank:0'" "$2"
}
check "CPU time and states agree where nothing is wrong" same "$(account neither)" 1
check "no CPU time is in waits then" between "$(seconds busy_in_waits neither)" 0 0.2
check "and no useful time is without it" between "$(seconds useful_not_run neither)" 0 0.2
export ALTERED=1 # the identities have the check, too
check "1.5 s of CPU time in a call that waits fail the check" same "$(account burn | tail -1)" 0
check "which the quality has" query "select 1 / count(*) from finding where rule = 'quality' and message like '%cpu time in states%'" burn
unset ALTERED
check "time in no call without CPU time is blocked, and no failure" same "$(account block)" 1
check "1.5 s at most, as samples cover not all of it" between "$(seconds useful_not_run block)" 0.7 1.6

# group: makes a control group with a quota of 0.2 cores, and prints its folder; fails where that is not allowed
group() {
	for base in /sys/fs/cgroup/cpu /sys/fs/cgroup/unified /sys/fs/cgroup; do
		group=$base/tacho-limits-$$
		mkdir "$group" 2>/dev/null || continue
		{ echo "20000 100000" >"$group/cpu.max" || echo 20000 >"$group/cpu.cfs_quota_us"; } 2>/dev/null &&
			echo "$group" && return 0
		rmdir "$group"
	done
	return 1
}

if ! folder=$(group); then
	ntests=$((ntests + 1))
	echo "ok $ntests - a quota # SKIP no control group can be made here"
	plan
	exit
fi
trap 'rmdir "$folder"; rm -rf "$work"' EXIT
printf '#!/bin/sh\necho $$ >"%s/cgroup.procs" && exec "$@"\n' "$folder" >in_group
chmod +x in_group
check "ranks in a control group that may use 0.2 cores" records quota ./in_group ./load 2000
check "are throttled for more than they run" query "select 1 / (max(t.value) > max(r.value)) from metric t, metric r
	where t.name = 'throttled' and r.name = 'core_ran'" quota
check "and that is a finding, with the quota" same "$(query "select count(*) from finding where rule = 'without_core'
	and message glob 'CPU quota: 2 ranks *: the control group may use 0.20 of the *' and seconds > 0.2" quota)" 1
check "and what to do about it" same "$(query "select count(*) from finding
	where advice like 'ask for more CPU time: resources.limits.cpu of the pod%'" quota)" 1
check "of one outside of it nothing is said" same "$(query "select (select count(*) from finding where message like '%quota%')
	+ (select count(*) from metric where name = 'throttled')" free)" 0
plan
