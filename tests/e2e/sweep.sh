#!/bin/sh
# tacho sweep: all combinations are recorded; killed at many moments and given again it ends with the same
# points; what fails is tried once more and stops nothing; what cannot be run is one sentence.
. "$top_srcdir/tests/e2e/lib.sh"
export TACHO_DATADIR="$top_srcdir" GNUPLOT=none COLUMNS=900
${CC:-cc} -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/sweep_load.c" || exit 99

# points FILE: knobs, ranks, runs and failed of each, without what was measured
points() { cut -d, -f1-4 "$1" | tr '\n' ' '; }
# lines WORD STUDY: how many lines of its state begin so
lines() { grep -c "^$1 " "$2/state"; }

sweep() {	# STUDY KNOB
	"$tacho" sweep -o "$1" -n 1,2 --seed 3 --format csv -k "$2" -- ./load '{ranks}' '{ms}'
}

expected='ms,ranks,runs,failed 8,1,1,0 24,1,1,0 8,2,1,0 24,2,1,0 '
# A moment is a part of a second, of which the first comes before any study can be done. How many more meet it
# running is the machine's affair; with the study done, what is killed is the making of its page.
killed_often() {
	kills=0
	moments=$(awk 'BEGIN { srand(7); for (i = 0; i < 12; i++) printf "%.3f ", rand() * (i % 2 ? 0.4 : 0.05) }')
	for moment in $moments; do
		"$tacho" sweep -o killed -n 1,2 --seed 3 --format csv -k ms=8,24 -- ./load '{ranks}' '{ms}' >table 2>said &
		pid=$!
		sleep "$moment"
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		[ $? -ne 137 ] || kills=$((kills + 1))
	done
	[ $kills -ge 1 ] || return 1
	sweep killed ms=8,24 >table 2>said || { cat said; return 1; }
	same "$(points table)" "$expected" && same "$(lines done killed)" 4
}
check "killed again and again: the points are those of an undisturbed study, each done once" killed_often
in_database() {
	same "$(sqlite3 killed/study.db "select group_concat(label) from (select label from run order by id)")" \
		"ms=8-n1,ms=24-n1,ms=8-n2,ms=24-n2" && [ -s killed/study.html ]
}
check "one database and one page of all runs" in_database
again() {
	begun=$(lines begin killed)
	"$tacho" sweep --format csv killed >twice 2>said && same "$(points twice)" "$expected" && same "$(lines begin killed)" "$begun"
}
check "given again by its folder a study that is done records nothing" again
lost() {
	begun=$(lines begin killed)
	rm -r killed/runs/02-*-r1/run.properties killed/runs/02-*-r1/trace killed/runs/02-*-r1/tacho.db && sweep killed ms=8,24 >twice 2>said && grep -q 'is done again' said &&
		same "$(lines begin killed)" "$((begun + 1))"
}
check "a run that was removed by half, as a kill may leave it, is done again" lost

# The time of a point is that of the run whose speed-up stands beside it.
of_one_run() {
	"$tacho" sweep -o pair -n 1 -r 2 --format csv -k ms=8 -- ./load '{ranks}' '{ms}' >table 2>said || { cat said; return 1; }
	python3 -c 'import csv; (r,) = csv.DictReader(open("table")); assert r["runs"] == "2" and r["time_ns"] == r["least_ns"] != r["most_ns"], r'
}
check "two runs of a point have the time of the shorter one, as their other figures" of_one_run

fails() {
	cat >failing.conf <<-'C'
	# a study in a file
	command = ./load {ranks} 4 {status}
	ranks = 1
	knob.status = 0, 3
	C
	"$tacho" sweep --format csv failing.conf >table 2>said
	same $? 1 && same "$(cut -d, -f1-5 table | tr '\n' ' ')" 'status,ranks,runs,failed,status 0,1,1,0, 3,1,0,1,3 ' &&
		same "$(lines failed failing)" 2 && grep -q 'again: failed, status 3' said && grep -q '1 of 2 runs failed' said
}
check "a run that fails is noted with its status, tried once more, and stops nothing" fails

replaced() {
	cp "$tacho" own-tacho && TACHO_LIB=$library ./own-tacho sweep -o replaced -n 1,2 --format csv -- sh -c 'rm -f own-tacho; exec ./load {ranks} 4' >table 2>said || { cat said; return 1; }
	[ ! -e own-tacho ] && same "$(cut -d, -f1-3 table | tr '\n' ' ')" 'ranks,runs,failed 1,1,0 2,1,0 '
}
check "a sweep goes on when tacho is removed or replaced meanwhile" replaced

# Each step is a quarter of ms, so that its median tells the three apart on any machine.
best_found() {
	"$tacho" sweep -o search -n 1 --search step -r 2 -k ms=200,8,100 -- ./load '{ranks}' '{ms}' >table 2>said || { cat said; return 1; }
	same "$(awk '/^[0-9]/ { printf "%s:%s:%s ", $1, $3, $4 }' table)" "200:3:2 8:1:6 100:2:6 " &&
		grep -q '^best: ms=8-n1, by the median step of 6 runs.*; the next, ms=100-n1, takes .* % longer (95 %:' table &&
		grep -q '^tried: 3 of 3 points in 14 runs' table && grep -q '^\[14/14\]' said && same "$(lines begin search)" 14 || { cat table; return 1; }
	"$tacho" sweep search >twice 2>said && cmp table twice && same "$(lines begin search)" 14
}
check "a search finds the planted best, says how sure that is, and measures it most" best_found

# Samples per second are planted by the length of the steps: 8 ms is best, the smallest value, and its 95 % interval is given.
best_said() {
	"$tacho" sweep -o said-study -n 1 -r 4 -k ms=400,8,200 -- ./load '{ranks}' '{ms}' >table 2>said || { cat said; return 1; }
	grep -qE '^best: ms=8: [0-9,.]+ samples/s \(4 runs, 95 %: [0-9,.]+ to [0-9,.]+\); the next, ms=200, takes \+[0-9.]+ % a sample \(95 %: \+' table &&
		grep -q '^next: try ms below 8: the best is the smallest value' table || { cat table; return 1; }
	sed 's/&#[0-9]*;//g' said-study/study.html | grep -q '<p class="verdict good">best: ms=8: ' && grep -q 'longest - shortest, of the median' said-study/study.html &&
		COLUMNS=80 "$tacho" sweep said-study 2>said | LC_ALL=C.UTF-8 awk 'length > 80 { print; bad = 1 } END { exit bad }'
}
check "a study ends with its best point, how sure that is and what to try next, in 80 columns" best_said

# The loss falls by a quarter a step: 1, 0.75, 0.56, 0.42; two ranks give the same.
target_found() {
	"$tacho" sweep -o target -n 2 --search target --target loss=0.6 -r 1 -k ms=400,8 -- ./load '{ranks}' '{ms}' >table 2>said || { cat said; return 1; }
	grep -q '^best: ms=8-n2, by the median time to the target of 6 runs' table && grep -q '^target = loss=0.6$' target/study.conf &&
		same "$(sqlite3 target/study.db "select group_concat(distinct value) from metric where name = 'steps_to_target'")" 3.0 || { cat table; return 1; }
	"$tacho" sweep -o missed -n 1 --target loss=0.1 -k ms=8,12 -- ./load '{ranks}' '{ms}' >table 2>said && grep -q '^no run reached loss=0.1$' table || { cat table; return 1; }
}
check "time to a target is found, and what reaches none is said" target_found

# NVTX ranges are steps.
requests_found() {
	cp "$top_builddir/tests/e2e/nvtx_ranges" serve
	RANK=0 WORLD_SIZE=1 "$tacho" sweep -o requests --step-range request -r 1 \
		-k ms=1,100 -- ./serve serve '{ms}' >table 2>said || { cat said; return 1; }
		same "$(sqlite3 requests/study.db 'select group_concat(steps) from (select count(*) as steps from step group by run_id)')" "5,5" ||
		{ cat table; return 1; }
}
if [ -x "$top_builddir/tests/e2e/nvtx_ranges" ]; then
	check "steps are NVTX ranges of the name that is given" requests_found
else
	ok 0 "steps are NVTX ranges of the name that is given # SKIP no nvtx3 header"
fi

# refused WORDS ARGUMENT...: one sentence with these words, a status that is not 0, and no folder
refused() {
	words=$1
	shift
	if "$tacho" sweep -o refused "$@" >table 2>said; then return 1; fi
	[ ! -e refused ] && same "$(wc -l <said)" 1 && { grep -qF -- "$words" said || { cat said; return 1; }; }
}
bad_input() {
	refused 'the command has {speed}, which is neither' -n 1,2 -- ./load '{ranks}' '{speed}' &&
		refused 'the command has no {ranks}' -n 1,2 -- ./load 1 5 &&
		refused 'the command has no {ms}' -n 1,2 -k ms=1,2 -- ./load '{ranks}' 5 &&
		refused 'the command has {ranks}, but no numbers' -k ms=1 -- ./load '{ranks}' '{ms}' &&
		refused 'nothing is varied' -- ./load 1 1 &&
		refused 'ms has no values' -n 1 -k ms= -- ./load '{ranks}' '{ms}' &&
		refused 'empty value in its list' -n 1, -- ./load '{ranks}' 1 &&
		refused "ranks: '0' must be a number" -n 0 -- ./load '{ranks}' 1 &&
		refused 'nodes has 2 values and ranks 3' -n 1,2,4 -N 1,2 -- ./load '{ranks}' 1 &&
		refused 'cannot be called ranks' -n 1 -k ranks=1 -- ./load '{ranks}' 1 &&
		refused 'needs one: give --target' -n 1 --search target -k ms=1,2 -- ./load '{ranks}' '{ms}' &&
		refused 'cannot read the study' missing.conf || return 1
	sweep killed ms=8,16 >table 2>said
	same $? 1 && grep -q 'killed holds another study, which has: knob.ms = 8, 24' said || return 1
	mkdir full && : >full/mine && sweep full ms=8 >table 2>said
	same $? 1 && grep -q "full exists but is not the folder of a study" said && same "$(ls full)" mine
}
check "what cannot be run is one sentence, and a folder of something else is left alone" bad_input
plan
