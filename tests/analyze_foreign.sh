#!/bin/sh
# Archives that others recorded (Score-P). They are not part of tacho: TACHO_TRACES names their folder.
. "$top_srcdir/tests/analyze_common.sh"
traces=${TACHO_TRACES:-$top_srcdir/../shared/traces}
[ -d "$traces" ] || skip_all "no foreign traces in $traces (set TACHO_TRACES)"
analyze() { timeout 60 "$tacho" analyze --db "$dir/$1.db" "$traces/$1/traces.otf2" 2>"$dir/err"; }
sql() { sqlite3 "$dir/$1.db" "$2"; }

# Time of the outermost regions named $3* of location $2, from otf2-print's output.
outermost() {
	timeout 60 otf2-print "$traces/$1/traces.otf2" | head -c 5000000 | awk -v at="$2" -v name="\"$3" '
		($1 == "ENTER" || $1 == "LEAVE") && $2 == at && index($0, name) {
			t = substr($3, length($3) - 11)		# all digits would not fit a double
			if ($1 == "ENTER") { if (depth++ == 0) start = t }
			else if (--depth == 0) sum += t - start
		}
		END { printf "%d\n", sum }'
}

# Time in which stream $2 did anything, and time in kernels of it, from otf2-print's output: one stream, nothing overlaps.
stream_busy() {
	timeout 60 otf2-print "$traces/$1/traces.otf2" | head -c 5000000 | awk -v at="$2" '
		$2 == at {
			t = substr($3, length($3) - 11)
			if ($1 == "ENTER" || $1 == "RMA_GET" || $1 == "RMA_PUT") start = t
			if ($1 == "LEAVE") kernels += t - start
			if ($1 == "RMA_OP_COMPLETE_BLOCKING") copies += t - start
		}
		END { printf "%d|%d\n", kernels, copies }'
}

# Ticks from the first to the last event that otf2-print shows.
extent() {
	timeout 60 otf2-print "$traces/$1/traces.otf2" | head -c 5000000 | awk '$1 ~ /^[A-Z_0-9]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ {
		t = substr($3, length($3) - 11)
		if (!n++ || t < first) first = t
		if (t > last) last = t
	}
	END { printf "%d\n", last - first }'
}

echo 1..9
analyze scorep-pingpong && [ "$(sql scorep-pingpong "select nranks, nevents from run")" = "2|120" ]
ok $? "scorep-pingpong: 2 ranks, 120 events"

ticks=$(outermost scorep-pingpong 0 MPI_)
[ -n "$ticks" ] && [ "$(sql scorep-pingpong "select abs(ns - $ticks / 2.095197216) < 200 from host_time h join process p
	on p.id = h.process_id where rank = 0 and state = 'mpi' and window = 'run'")" = 1 ]
ok $? "scorep-pingpong: time in MPI is that of otf2-print"

[ "$(sql scorep-pingpong "select count(*) from checks where not ok")" = 0 ]
ok $? "scorep-pingpong: every check holds"

analyze scorep-mpi-10ranks && [ "$(sql scorep-mpi-10ranks "select nranks, nevents, duration_ns from run")" = "10|428|647424485" ] &&
	[ "$(sql scorep-mpi-10ranks "select count(*) from checks where not ok")" = 0 ]
ok $? "scorep-mpi-10ranks: 428 events, every message has its partner"

analyze scorep-mpi-cuda && [ "$(sql scorep-mpi-cuda "select group_concat(n) from (select op || count(*) as n from collective
	group by op order by op)")" = "allreduce10,barrier2" ]
ok $? "scorep-mpi-cuda: 10 all-reduces and 2 barriers"

[ "$(sql scorep-mpi-cuda "select ns from host_time h join process p on p.id = h.process_id where rank = 1 and
	state = 'mpi' and window = 'run'")" = "$(outermost scorep-mpi-cuda 1 MPI_)" ]
ok $? "scorep-mpi-cuda: time in MPI is that of otf2-print"

[ "$(sql scorep-mpi-cuda "select duration_ns from run")" = "$(extent scorep-mpi-cuda)" ]
ok $? "scorep-mpi-cuda: lasts from the first to the last event of otf2-print"

for rank in 0 1; do
	busy=$(stream_busy scorep-mpi-cuda $((8589934592 + rank)))
	[ "$(sql scorep-mpi-cuda "select sum(case state when 'compute' then ns end), sum(case state when 'memcpy' then ns end)
		from device_time t join process_device d using (device_id) join process p on p.id = d.process_id
		where rank = $rank and window = 'run'")" = "$busy" ]
	ok $? "scorep-mpi-cuda: GPU $rank computes and copies as long as otf2-print says ($busy ns)"
done
