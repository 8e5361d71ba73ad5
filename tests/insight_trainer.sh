#!/bin/sh
# The trainer with and without its marks, and with a rank planted slow: the same steps, and who it was.
. "$top_srcdir/tests/trainer_common.sh"
plan 6
tacho=$top_builddir/analyzer/tacho
export OPENBLAS_NUM_THREADS=1

# recorded RUN OPTIONS…
recorded() {
	run=$1
	shift
	timeout 400 "$tacho" record -o "$run" -- mpirun -n 2 "$trainer" --side 16 --train-samples 2048 \
		--validate-samples 128 --test-samples 256 --epochs 2 --batch 32 --data-dir data "$@" >log 2>&1 </dev/null ||
		{ sed 's/^/# /' log; false; }
}

ask() { sqlite3 "$1/tacho.db" "$2"; }

command -v sqlite3 >/dev/null 2>&1 || { for i in 1 2 3 4 5 6; do echo "ok $i - # SKIP sqlite3 is not installed"; done; exit 0; }

recorded unmarked --unmarked
found=$(ask unmarked "select count(distinct n) from step where confidence between 0.5 and 0.999")
echo "# $found steps found of 128"
check "steps without marks are found, all but the first of an epoch at most" [ "$found" -ge 124 -a "$found" -le 130 ]

recorded nonblocking --unmarked --overlap nonblocking --fusion 0
found=$(ask nonblocking "select count(distinct n) from step")
echo "# $found steps found of 128"
check "so are steps of several non-blocking collectives" [ "$found" -ge 124 -a "$found" -le 130 ]

path_on_it() {
	[ "$(ask slow "select max(case when subject = 'rank:1' then value end) > max(case when subject = 'rank:0' then value end) from metric where model = 'critical_path'")" = 1 ]
}
# Five times as slow, with most of the critical path on it: more than what else happens on the machine, most of the time.
slow_named() {
	for chance in 1 2 3; do
		rm -rf slow
		recorded slow --plant slow-rank:1:5:60 && [ "$(ask slow "select rank || ' ' || cause || ' ' || lasting || ' ' ||
			(since_step between 55 and 65) from straggler order by waited_ns desc limit 1")" = "1 compute 1 1" ] && path_on_it && return 0
		ask slow "select '# rank ' || rank, since_step, until_step, cause, excess_ns, confidence from straggler"
	done
	return 1
}
check "a slow rank is named, with its first step and its cause, and most of the critical path is on it" slow_named
wrong=$(ask slow "select count(*) from checks where name = 'critical_path_sums' and not ok")
check "parts of the critical path sum to it" [ "$wrong" = 0 ]

# More ranks than cores, and other programs next to them. What luck decides there is in insight_stragglers.sh.
burn() {
	for core in $(seq "$(nproc)"); do
		timeout 400 sh -c 'while :; do :; done' &
		burning="${burning:-} $!"
	done
}

# crowded OPTIONS…: a run on the busy machine
crowded() {
	rm -rf crowd
	timeout 400 "$tacho" -q record -o crowd -- mpirun --bind-to none -n $(($(nproc) + 2)) "$trainer" --side 16 \
		--train-samples 1024 --validate-samples 64 --test-samples 128 --epochs 2 --batch 16 \
		--data-dir crowded "$@" >log 2>&1 </dev/null || { sed 's/^/# /' log; false; }
}

# Twenty times as slow is out of all that preemption does to the others.
named() {
	for chance in 1 2 3; do
		crowded --plant slow-rank:1:20:10 --steps 60 && [ "$(ask crowd "select rank || ' ' || cause from straggler
			order by waited_ns desc limit 1")" = "1 compute" ] && return 0
		ask crowd "select '# rank ' || rank, since_step, until_step, cause, share, waited_ns from straggler"
	done
	return 1
}

lacking() {
	crowded --steps 60 || return 1
	[ -s /proc/self/schedstat ] && [ "$(cut -d' ' -f1 /proc/self/schedstat)" != 0 ] || return 0
	[ "$(ask crowd "select count(*) from metric where name = 'without_core' and value > 0.05 and value < 1")" = 1 ] &&
		[ "$(ask crowd "select count(*) from metric where name = 'core_ran' and value > 0")" = $(($(nproc) + 2)) ]
}

burn
check "with more to run than cores it is reported that ranks lacked them" lacking
check "and who is planted slow is named" named
# shellcheck disable=SC2086 # a list
kill $burning
