#!/bin/sh
# Large spools of large runs have a profile next to them: their sums without the last records. tacho merge --totals
# begins there, and comes to what it comes to from all records.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -w -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/bounded_load.c" || exit 99
head -c 4096 /dev/zero >data
export OMPI_MCA_mpi_yield_when_idle=1
steps=1200

# record RUN RANKS ARGUMENT…: two ranks, of so many as they believe
record() {
	mkdir "$1" && TACHO_DIR=$PWD/$1 TACHO_MAX_SIZE=512M/rank LD_PRELOAD=$library timeout 600 mpirun.openmpi -n 2 \
		sh -c 'OMPI_COMM_WORLD_SIZE=$1 && export OMPI_COMM_WORLD_SIZE && shift && exec ./load data "$@"' - "$2" "$3" -1 "${4:--1}" \
		>"$1.expected" 2>said
	sort -o "$1.expected" "$1.expected"
}

# database RUN NAME OPTION…
database() {
	run=$1 name=$2 && shift 2 &&
	timeout 60 "$tacho" -q merge "$@" -o "$run/$name" "$run" >/dev/null && timeout 60 "$tacho" -q analyze --db "$run/$name/tacho.db" "$run/$name/traces.otf2"
}

profiles() { find "$1/spool" -name 'profile.*'; }

# text DATABASE: all of it but when and where it was made
text() { sqlite3 "$1" .dump | sed '/^INSERT INTO run VALUES/d'; }

# sides RUN: the totals with the profiles and without
sides() {
	database "$1" with --totals && mkdir -p aside || return 1
	n=0
	for file in $(profiles "$1"); do
		n=$((n + 1)) && mv "$file" aside/$n || return 1
		echo "mv aside/$n $file"
	done >back
	database "$1" without --totals && . ./back && text "$1/with/tacho.db" >with && text "$1/without/tacho.db" | diff - with | head -n 8 >differ
	cat differ && [ -s with ] && [ ! -s differ ]
}

recorded() { record large 2048 $steps && same "$(profiles large | wc -l)" 2; }
is_small() { record small 2 60 && same "$(profiles small | wc -l)" 0; }
is_limited() { profiles large | xargs stat -c '%s %b' | awk '{ print; if ($1 > 1048576) bad = 1 } END { exit bad || NR != 2 }'; }

# whole: what the ranks print, and the figures of the whole analysis
is_exact() {
	database large whole || return 1
	calls="select calls from call c join process p on p.id = c.process_id where rank is not null and c.name"
	same "$(query "$calls = 'pread' order by rank" large/with)" "$(cut -d ' ' -f 2 large.expected)" &&
	same "$(query "$calls = 'MPI_Allreduce' order by rank" large/with)" "$(cut -d ' ' -f 6 large.expected)" &&
	same "$(query "select count(*) from step" large/with)" $((2 * steps)) &&
	# clocks turn ticks to ns call by call there, and here their sum
	same "$(query "attach 'large/whole/tacho.db' as whole;
		select c.*, d.total_ns from main.call c left join whole.call d using (process_id, name) where d.calls is not c.calls or
			d.bytes_sent is not c.bytes_sent or d.bytes_received is not c.bytes_received or
			abs(d.total_ns - c.total_ns) > c.calls + 1e-6 * c.total_ns;
		select 'calls' from whole.call having count(*) <> (select count(*) from main.call);
		select s.*, t.* from main.step s left join whole.step t using (process_id, n) where s.samples is not t.samples or
			abs(s.start_ns - t.start_ns) > 1 or abs(s.end_ns - t.end_ns) > 1;
		select m.*, w.value from main.metric m left join whole.metric w using (window, model, name, subject)
			where m.window in ('run', 'active') and m.flag is null and abs(m.value - w.value) > 1e-6 and (m.name = 'host_parallel_efficiency' or
			m.model = 'mpi' and m.name in ('parallel_efficiency', 'load_balance', 'communication_efficiency'))" large/with)" "" &&
	same "$(query "select count(*) from metric where name = 'load_balance' and window = 'active' and value > 0" large/with)" 1
}

# Records in the middle of what the profile has are gone: the totals do not read them.
is_read() {
	mkdir torn && cp -r large/spool torn || return 1
	for folder in torn/spool/*/; do
		tr '\0' '\377' </dev/zero | dd of="$folder/thread.0" bs=4096 seek=100 count=4 conv=notrunc iflag=fullblock 2>/dev/null || return 1
	done
	database torn with --totals && text torn/with/tacho.db >torn.text && text large/with/tacho.db | diff - torn.text | head -n 8 &&
	for file in $(profiles torn); do rm "$file"; done
	database torn without --totals 2>/dev/null && ! text torn/without/tacho.db | cmp -s - torn.text
}

# By kill -9, in a late step: the profile is there.
killed() {
	record killed 2048 $steps $((steps - 5))
	same "$(profiles killed | wc -l)" 2 && sides killed &&
	same "$(query "select c.calls from call c join process p on p.id = c.process_id where rank = 0 and c.name = 'MPI_Allreduce'" killed/with)" $((steps - 5))
}

# any FILE: what is damaged is not used, or refused
damaged() {
	rm -rf bad && mkdir bad && cp -r large/spool bad || return 1
	for file in $(profiles bad); do
		"$top_builddir/tests/unit/spool_damage" "$1" "$2" "$file" || return 1
	done
	timeout 60 "$tacho" -q merge --totals bad >out 2>err
	status=$?
	cat err
	[ $status -le 1 ] && ! grep -q 'crashed (signal' err
}

check "large spools of a large run have a profile" recorded
check "of 1 MiB at most" is_limited
check "small runs have none" is_small
check "totals are the same with profiles and without" sides large
check "and what the whole analysis has" is_exact
check "they do not read the records that profiles have" is_read
check "a rank killed by SIGKILL has its profile" killed
for at in 8 16 40 200 5000 70000 140000; do
	check "a profile damaged at byte $at is read or refused" damaged flip $at
done
plan
