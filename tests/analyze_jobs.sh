#!/bin/sh
# Several processes find what one finds: whole databases are compared, with --jobs and under mpirun.
. "$top_srcdir/tests/analyze_common.sh"
equal="$top_srcdir/tests/database_equal.py"
cases="$top_srcdir/tests/golden/cases"
command -v python3 >/dev/null || skip_all "no python3 to compare databases with"

# wrapped NAME COMMAND...: a program that runs tacho by it
wrapped() {
	name=$1
	shift
	mkdir "$dir/$name"
	printf '#!/bin/sh\ncommand=$1\nshift\nexec %s %s "$command" --jobs %s "$@"\n' "$launcher" "$tacho" "$1" >"$dir/$name/tacho"
	chmod +x "$dir/$name/tacho"
}

# compared NAME CASE...: all give what is expected, and the database that NAME=one has
compared() {
	name=$1
	shift
	"$top_builddir/tests/unit/golden" "$dir/$name/tacho" "$dir/$name" "$@" >"$dir/$name/out" 2>"$dir/err"
	grep '^not ok' "$dir/$name/out" >"$dir/err"
	[ "$(grep -c '^ok' "$dir/$name/out")" -eq $# ] || return 1
	at=2
	pairs=
	for case; do
		at=$((at + 1))
		case=$(basename "$case" .case)
		if [ "$name" = one ]; then
			ln -s "$at" "$dir/one/$case"
		else
			pairs="$pairs $dir/one/$case/case.db $dir/$name/$at/case.db"
		fi
	done
	[ -z "$pairs" ] || python3 "$equal" $pairs >"$dir/err" 2>&1
}

# Those with three families or more
of_three() { grep -c '^rank' "$@" | sed -n 's/:\([3-9]\|[0-9][0-9][0-9]*\)$//p'; }

some="dead_partner found_steps killed_in_nccl kernels_over_steps nccl_group_send_recv non_blocking rooted_and_scan"
all=$(worked_cases $some)
launcher=
wrapped one 1
wrapped two 2
wrapped three 3
echo 1..22
compared one $all
ok $? "worked cases by one process"
looked=0
for database in "$dir"/one/[0-9]*/case.db; do
	[ ! -s "$database" ] || { looked=$((looked + 1)) && broken "$database" | sed "s|^|$database: |"; }
done >"$dir/err"
[ ! -s "$dir/err" ] && [ $looked -ge $(($(echo "$all" | wc -w) * 9 / 10)) ]
ok $? "identities hold in their databases"
compared two $all
ok $? "two processes find the same, in the whole database"
compared three $(of_three $all)
ok $? "and three"

# Programs with devices, NCCL and loaders, of which a simulator knows what they give.
mkdir "$dir/random"
python3 "$top_srcdir/tests/device_random.py" "$dir/random" 1 25 2>"$dir/err"
mv "$dir/one" "$dir/one.cases"
wrapped one 1
for name in two three; do
	mv "$dir/$name" "$dir/$name.cases"
done
wrapped two 2
wrapped three 3
compared one "$dir"/random/*.case && compared two "$dir"/random/*.case && compared three $(of_three "$dir"/random/*.case)
ok $? "random programs by one, two and three"
rm -rf "$dir/one"
mv "$dir/one.cases" "$dir/one"

# Tracks that wait go ahead at once, as they else do while other processes are waited for.
launcher="env TACHO_AHEAD=5"
wrapped ahead 1
compared ahead $all
ok $? "and one whose tracks go ahead of the replay"

# In whatever order locations are read.
launcher="env TACHO_SHUFFLE=1"
wrapped shuffled 1
compared shuffled $all
ok $? "and one that reads locations in random order"
launcher=

# Orders in which a lane of a stream is read ahead of the one in which its graph begins.
for seed in 2 10 11 13; do
	mkdir "$dir/lanes.$seed"
	TACHO_SHUFFLE=$seed "$top_builddir/tests/unit/golden" "$tacho" "$dir/lanes.$seed" \
		"$cases/stream_lanes.case"
done >"$dir/err" 2>&1
[ "$(grep -c '^ok' "$dir/err")" -eq 4 ]
ok $? "branches of a graph in four orders"

# … and in which one thread is far ahead of another that launched before.
for seed in 1 3; do
	mkdir "$dir/threads.$seed"
	TACHO_SHUFFLE=$seed "$top_builddir/tests/unit/golden" "$tacho" "$dir/threads.$seed" "$cases/launches_ahead.case"
done >"$dir/err" 2>&1
[ "$(grep -c '^ok' "$dir/err")" -eq 2 ]
ok $? "launches of two threads in two orders"

# More than fits into a ring at once: messages and collectives over the borders of readers.
"$top_builddir/tests/bench/analyze" write "$dir/ring" 200000 24
for jobs in 1 2 5; do "$tacho" analyze --jobs $jobs --db "$dir/ring.$jobs" "$dir/ring/traces.otf2" 2>"$dir/err" || break; done
python3 "$equal" "$dir/ring.1" "$dir/ring.2" >>"$dir/err" && python3 "$equal" "$dir/ring.1" "$dir/ring.5" >>"$dir/err"
ok $? "24 ranks by 1, 2 and 5 processes"
"$tacho" -v analyze --jobs 2 --db "$dir/ring.2" "$dir/ring/traces.otf2" 2>"$dir/err" &&
	awk '/ turns of locations/ { n++; bad += $2 < 1000 || $6 > $2 / 100 } END { exit !(n == 2 && !bad) }' "$dir/err"
ok $? "who cannot go on is not woken"
for most in 3 40 1000; do
	TACHO_AHEAD=$most "$tacho" -v analyze --jobs 1 --db "$dir/ahead.$most" "$dir/ring/traces.otf2" 2>"$dir/err" &&
		grep -q 'events were read while others were waited for' "$dir/err" &&
		python3 "$equal" "$dir/ring.1" "$dir/ahead.$most" >>"$dir/err" || break
done && [ -e "$dir/ahead.1000" ] && python3 "$equal" "$dir/ring.1" "$dir/ahead.1000" >>"$dir/err"
ok $? "and by one whose tracks go ahead"

"$tacho" analyze --summary --jobs 1 --db "$dir/sum.1" "$dir/ring/traces.otf2" 2>"$dir/err" &&
	"$tacho" analyze --summary --jobs 2 --db "$dir/sum.2" "$dir/ring/traces.otf2" 2>>"$dir/err" &&
	python3 "$equal" "$dir/sum.1" "$dir/sum.2" >>"$dir/err"
ok $? "a summary by 1 and 2"

TEST_JOBS=3 sh "$top_srcdir/tests/analyze_damage.sh" >"$dir/out" 2>&1
[ "$(grep -c '^ok' "$dir/out")" -gt 10 ] && ! grep '^not ok' "$dir/out" >"$dir/err"
ok $? "damaged archives by three processes"

# A reader is killed: the others end, and say so once.
"$top_builddir/tests/bench/analyze" write "$dir/long" 4000000 8
"$tacho" analyze --db "$dir/kept" "$dir/ring/traces.otf2" 2>"$dir/err"
before=$(cksum <"$dir/kept")
"$tacho" -v analyze --jobs 2 --db "$dir/kept" "$dir/long/traces.otf2" 2>"$dir/said" &
pid=$!
reader=
for _ in $(seq 500); do
	writer=$(ps -o pid= --ppid $pid | head -n 1)
	[ -n "$writer" ] && reader=$(ps -o pid= --ppid $writer | head -n 1)
	[ -n "$reader" ] && break
	sleep 0.02
done
kill -9 $reader
wait $pid
rc=$?
grep -v "processes read\|processor time" "$dir/said" >"$dir/err"
[ $rc -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "was killed" "$dir/err" && [ "$(cksum <"$dir/kept")" = "$before" ] &&
	[ -z "$(ls "$dir" | grep 'kept\.')" ]
ok $? "a killed reader ends the analysis in one sentence, the database stays"

# Two busy loops on the only core that the readers may use: each of them waits for it.
core=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
for i in 1 2; do
	timeout 100 taskset -c "$core" sh -c 'while :; do :; done' &
	eval "loop$i=\$!"
done
taskset -c "$core" "$tacho" -v analyze --jobs 2 --db "$dir/long.2" "$dir/long/traces.otf2" 2>"$dir/err"
kill $loop1 $loop2
grep -q 'other programs take the processors: one process reads on alone' "$dir/err" &&
	"$tacho" analyze --jobs 1 --db "$dir/long.1" "$dir/long/traces.otf2" 2>>"$dir/err" &&
	python3 "$equal" "$dir/long.1" "$dir/long.2" >>"$dir/err"
ok $? "where other programs take the processors, one process reads on alone"

if ! command -v mpirun >/dev/null || ! [ -e "$top_builddir/analyzer/.libs/tacho-mpi.so" ]; then
	for what in "two ranks" "three ranks" "two by MPI" "three by MPI" "cores" "a damaged location"; do
		n=$((n + 1))
		echo "ok $n - $what # SKIP no mpirun, or built without MPI"
	done
	exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	OMPI_MCA_btl_vader_single_copy_mechanism=none
some=$(for case in $some; do echo "$cases/$case.case"; done)
launcher="mpirun -n 2"
wrapped mpi2 1
launcher="mpirun -n 3"
wrapped mpi3 2
launcher="env TACHO_APART=1 mpirun -n 2"
wrapped apart2 2
launcher="env TACHO_APART=1 mpirun -n 3"
wrapped apart3 1
compared mpi2 $some
ok $? "two ranks of mpirun find the same"
compared mpi3 "$cases/dead_partner.case" "$cases/found_steps.case" "$cases/rooted_and_scan.case"
ok $? "and three with two readers each"
compared apart2 $some
ok $? "two ranks that talk by MPI, with two readers each, find the same"
compared apart3 "$cases/dead_partner.case" "$cases/found_steps.case" "$cases/rooted_and_scan.case"
ok $? "and three"

# Where each rank may use all cores they are not all for each of them.
each=$(($(nproc) / 4))
readers=$((each > 2 ? 8 : each > 1 ? 4 * each : 4))
# just as many events as make it worth while
"$top_builddir/tests/bench/analyze" write "$dir/many" 700000 8
"$tacho" analyze --jobs 1 --db "$dir/many.1" "$dir/many/traces.otf2" 2>"$dir/err" &&
	mpirun --bind-to none -n 4 "$tacho" -v analyze --db "$dir/many.4" "$dir/many/traces.otf2" 2>>"$dir/err" &&
	grep -q " $readers processes read" "$dir/err" &&
	python3 "$equal" "$dir/many.1" "$dir/many.4" >>"$dir/err"
ok $? "ranks of a machine share its cores"

mkdir "$dir/hurt"
cp -r "$dir/ring" "$dir/hurt/ring"
truncate -s 5000 "$dir/hurt/ring/traces/20.evt"
"$tacho" analyze --allow-damaged --jobs 1 --db "$dir/hurt/1" "$dir/hurt/ring/traces.otf2" 2>"$dir/err" &&
	mpirun -n 2 sh -c 'ulimit -t 2; exec "$@"' - "$tacho" analyze --allow-damaged --jobs 2 --db "$dir/hurt/2" "$dir/hurt/ring/traces.otf2" \
		2>"$dir/err" && python3 "$equal" "$dir/hurt/1" "$dir/hurt/2" >>"$dir/err"
ok $? "a damaged location is the same to one process and to two ranks, which end where it does"
