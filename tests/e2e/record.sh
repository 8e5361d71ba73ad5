#!/bin/sh
# tacho record passes status, output and signals through, keeps what exists, and works around and
# inside mpirun.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/death_load.c" || exit 99
head -c 8192 /dev/zero >data

status_of() {
	"$@" >/dev/null 2>&1
	echo $?
}

check "the command's exit status passes through" same \
	"$(status_of "$tacho" record -o s1 -- sh -c 'exit 7')" 7
check "a command killed by a signal ends tacho by that signal" \
	same "$(status_of "$tacho" record -o s2 -- sh -c 'kill -TERM $$')" 143
check "a command that is not there gives 127" same \
	"$(status_of "$tacho" record -o s3 -- ./nothing)" 127
check "and leaves no folder" test ! -e s3
check "no command is wrong use" same "$(status_of "$tacho" record -o s4)" 2
check "an unknown option is wrong use" same "$(status_of "$tacho" record --nonsense -- true)" 2

# refused SENTENCE COMMAND…: wrong use, and says so before anything is recorded
refused() {
	said=$1
	shift
	"$@" >out 2>err </dev/null
	[ $? = 2 ] && grep -qF "$said" err && [ ! -e refused ]
}
check "a value that no knob understands is refused" refused "tacho: record: --steps 10: expected steps like 10:20" \
	"$tacho" record -o refused --steps 10 -- true
check "a budget is of the run or of each rank" refused "tacho: record: --max-size 1M/node: expected bytes like 2G or 512M/rank" \
	"$tacho" record -o refused --max-size 1M/node -- true
check "in the environment, too" refused "tacho: record: TACHO_MAX_SPOOL=5X: expected bytes" \
	env TACHO_MAX_SPOOL=5X "$tacho" record -o refused -- true
check "a range of ranks that is empty is refused" refused "record: --ranks 0,5-2: a range goes from the lower number to the higher" \
	"$tacho" record -o refused --ranks 0,5-2 -- true
check "and one of steps" refused "TACHO_STEPS=9:3: a range goes from the lower number to the higher" \
	env TACHO_STEPS=9:3 "$tacho" record -o refused -- true
check "output passes through" same "$("$tacho" record -o s5 -- echo hello 2>/dev/null)" hello
check "input passes through" same "$(echo in | "$tacho" record -o s6 -- cat 2>/dev/null)" in

check "an existing run is refused" same "$(status_of "$tacho" record -o s1 -- true)" 1
# kept DATABASE COMMAND: the status of a run that another one's database is to keep
kept() {
	mkdir -p gone
	status_of "$tacho" -q record --all -f -o kept --db "$1" -- sh -c "$2"
}
check "a database that does not take the run fails a command that succeeds" same "$(kept gone/x.db 'cat /etc/passwd; rm -r gone')" 1
check "and keeps the status of one that fails" same "$(kept gone/x.db 'cat /etc/passwd; rm -r gone; exit 5')" 5
check "one that takes it does not" same "$(kept gone/x.db 'cat /etc/passwd')" 0
check "-f replaces it" same "$(status_of "$tacho" record -f -o s1 -- true)" 0
mkdir precious && echo data >precious/file
check "-f does not remove a folder that is no run" same \
	"$(status_of "$tacho" record -f -o precious -- true)" 1
check "its file is still there" test -f precious/file

signal_reaches_command() {
	"$tacho" -q record -o sig -- sh -c 'trap "echo got; exit 5" USR1; echo ready; i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done' >sigout 2>/dev/null &
	pid=$!
	while ! grep -q ready sigout 2>/dev/null; do sleep 0.05; done
	kill -USR1 $pid
	wait $pid
	same "$? $(tr '\n' ' ' <sigout)" "5 ready got "
}
check "a signal sent to tacho reaches the command" signal_reaches_command

# A shell waits for the end of its commands, and for no samples.
commands() {
	"$tacho" -q record --all -o shell -- sh -c 'head -c 20000000 /dev/zero >x; for i in 1 2 3 4; do gzip -1 -c x >y; done' &&
		same "$(query "select count(*) from finding where rule in ('data_loading', 'exposed_io')" shell)" 0 &&
		"$tacho" report -s shell | tr -s ' \n' ' ' | grep 'waiting for the programs that were started limits the run'
}
check "a shell's commands are no data-loader workers" commands

ranks_of() {
	query 'select count(distinct rank) from process' "$1"
}
check "around mpirun" timeout 100 "$tacho" -q record -o around -- mpirun -n 2 ./load c1 data 0.3
check "two ranks are in the database" same "$(ranks_of around)" 2
check "one that has no room for a rank's files is refused with the least one" refused \
	"tacho: record: --max-size 63K/rank: a rank's files take 64K before the first event: 64K is the least, 0 is no limit" \
	"$tacho" record -o refused --max-size 63K/rank -- true
check "within a budget" same "$(query "select distinct value from environment where key = 'var.TACHO_MAX_SIZE'" around)" 512M/rank
inside() {
	timeout 100 mpirun -n 2 --bind-to core:overload-allowed "$tacho" -v record -o inside -- ./load c2 data 0.3 >inside.out 2>&1 ||
		{ cat inside.out; return 1; }
}
check "inside mpirun" inside
cores=$(timeout 60 mpirun -n 2 --bind-to core:overload-allowed grep Cpus_allowed_list /proc/self/status | sort -u | wc -l)
[ "$cores" = 2 ] || cores=$(nproc)	# they are not bound
check "where it is finished on the cores of all ranks" grep -q "inside is finished on $cores cores" inside.out
check "two ranks are in the database" same "$(ranks_of inside)" 2
check "inside mpirun, an existing run of another job is refused" \
	same "$(status_of timeout 100 mpirun -n 2 "$tacho" -q record -o inside -- ./load c2 data 0.1)" 1
check "inside mpirun -f replaces it" \
	same "$(status_of timeout 100 mpirun -n 2 "$tacho" -q record -f -o inside -- ./load c2 data 0.1)" 0

by_environment() {
	LD_PRELOAD=$library_link TACHO_DIR=$work/byenv mpirun -n 2 ./load c3 data 0.3 &&
	"$tacho" -q merge byenv && "$tacho" -q analyze byenv && same "$(ranks_of byenv)" 2
}
library_link=$(mktemp -u "${TMPDIR:-/tmp}/tacho-lib.XXXXXX")
ln -s "$library" "$library_link"
check "by the environment alone, then merge and analyze" by_environment
rm -f "$library_link"

if [ -n "$MPICC_MPICH" ]; then
	"$MPICC_MPICH" -w -O2 -I"$top_srcdir/include" -o load-mpich \
		"$top_srcdir/tests/e2e/death_load.c" || exit 99
	check "around MPICH's mpirun" timeout 100 \
		"$tacho" -q record -o mpich -- mpirun.mpich -n 2 ./load-mpich c6 data 0.3
	check "two ranks are in the database" same "$(ranks_of mpich)" 2
	check "inside MPICH's mpirun" timeout 100 mpirun.mpich -n 2 \
		"$tacho" -q record -o mpich2 -- ./load-mpich c7 data 0.3
	check "two ranks are in the database" same "$(ranks_of mpich2)" 2
else
	ntests=$((ntests + 1))
	echo "ok $ntests # SKIP MPICH is not installed"
fi

mkdir "sub dir"
check "relative paths and blanks in names, with a cd in the command" \
	timeout 100 "$tacho" -q record -o "sub dir/my run" -- sh -c 'cd / && exec mpirun -n 2 "$0/load" "$0/c4" "$0/data" 0.2' "$work"
check "the run is where it was wanted" test -f "sub dir/my run/tacho.db"

spools_return() {
	mkdir -p local && timeout 100 "$tacho" -q record -o brought --spool local -- mpirun -n 2 ./load c5 data 0.2 &&
	same "$(ranks_of brought)" 2 && same "$(ls local)" ""
}
check "spools on local storage are brought to the run" spools_return

nothing_is_told() {
	"$tacho" record -o nothing -- true 2>complained && grep -q 'nothing was recorded' complained && grep -q 'mark their steps' complained
}
check "of a program of which nothing is recorded it is said what to do" nothing_is_told

check "secrets on the command line are masked" \
	sh -c '"$0" -q record -o secret -- echo --token=abc --password def && ! grep -E "abc|def" secret/run.properties' "$tacho"
parts_add_up
plan
