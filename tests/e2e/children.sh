#!/bin/sh
# Children that do little leave it in slots of their parent's file: nothing is lost however they end, and those
# that have more to say go on in a folder of their own.
. "$top_srcdir/tests/e2e/lib.sh"

gcc -O1 -w -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/children_load.c" -lpthread || exit 99

# record HOW N: by environment alone, so that the spools stay
record() {
	rm -rf run && mkdir run || return 1
	TACHO_DIR=$PWD/run TACHO_SAMPLE_HZ=0 LD_PRELOAD=$library TACHO_MAX_SIZE=$budget \
		timeout 100 setsid -w ./load "$1" "$2" >/dev/null 2>said
	"$tacho" -q merge run >merged 2>&1 && "$tacho" -q analyze run >analyzed 2>&1
}

writes() {
	query "select sum(calls), sum(bytes_sent) from call where name = 'write'"
}

# Children, with a parent; and no loss, nor a figure that does not hold
children_are() {
	same "$(query "select count(*), count(distinct node_id) from process where parent_id is not null")" "$1|1" &&
	same "$(query "select count(*) from not_recorded")" 0 &&
	same "$(query "select name || ': ' || message from checks where not ok")" ""
}

folders() {
	find run/spool -type d -name '*.*.*' | wc -l
}

# ends HOW: 100 children in the parent's folder alone, 6 KiB each and what was reserved, in few files
ends() {
	record "$1" 100 || return 1
	cat said
	find run/spool | sort
	same "$(writes)" "101|1010" && children_are 100 && same "$(folders)" 1 &&
	[ "$(du -sk run/spool | cut -f 1)" -le $((100 * 6 + 250)) ] &&
	[ "$(find run/spool -type f | wc -l)" -le 16 ]
}

# Without a file, a task or a mapping of its own, in few system calls; the last child is as all are.
few_calls() {
	command -v strace >/dev/null || { echo "no strace"; return 0; }
	rm -rf run && mkdir run || return 1
	strace -ff -qq -o calls -E TACHO_DIR="$PWD/run" -E LD_PRELOAD="$library" ./load _exit 3 || return 1
	child=$(grep -l 'write(.*0123456789' calls.* | sort -t . -k 2n | tail -n 1)
	cat "$child"
	grep -E 'openat|mkdir|pwrite|writev|clone|mmap' "$child" && return 1
	[ "$(wc -l <"$child")" -le 45 ]
}

# Most of what a child costs is pages that it is the first to touch: some 80 more than without the library once.
few_pages() {
	./load _exit 200 bare && rm -rf run && mkdir run &&
	TACHO_DIR=$PWD/run LD_PRELOAD=$library TACHO_MAX_SIZE=64M ./load _exit 200 recorded || return 1
	echo "page faults of a child: $(cat bare), recorded $(cat recorded)"
	[ "$(cat recorded)" -le $(($(cat bare) + 64)) ]
}

# peak N HOW: kB of memory at most, of a merge with N children
peak() {
	rm -rf run && mkdir run || return 1
	TACHO_DIR=$PWD/run TACHO_SAMPLE_HZ=0 LD_PRELOAD=$library TACHO_MAX_SIZE=0 \
		timeout 100 setsid -w ./load "$2" "$1" >/dev/null 2>said
	python3 - "$tacho" <<-'END'
	import resource, subprocess, sys
	subprocess.run([sys.argv[1], "-q", "merge", "-j", "1", "run"], check=True, stdout=subprocess.DEVNULL)
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	END
}

# memory HOW: kB of a merge for each further child; the first have it read and write some buffers
memory() {
	few=$(peak 300 "$1") && many=$(peak 900 "$1") || return 1
	echo "300 children: $few kB, 900: $many kB"
	[ $((many - few)) -le $((600 * 4)) ]
}

deep() {
	record deep 20 && same "$(writes)" "41|410" && children_are 40
}

moves() {
	record more 5 && same "$(writes)" "5001|50010" && children_are 5 && same "$(folders)" 6
}

moves_names() {
	record names 5 && same "$(writes)" "6|60" && children_are 5 && same "$(folders)" 6 &&
	same "$(query "select sum(calls) from call where name = 'open'")" 500
}

moves_thread() {
	record thread 5 && same "$(writes)" "11|110" && children_are 5
}

together() {
	record together 40
	same "$(writes)" "41|410" && same "$(query "select count(*) from process where parent_id is not null")" 40
}

jail() {
	[ "$(id -u)" = 0 ] || { echo "not root"; return 0; }
	record jail 5 && cat said && same "$(cat said)" "" && same "$(writes)" "6|60" && children_are 5
}

# Beyond its slot a child that does not reach the run is lost, and counted.
cell() {
	[ "$(id -u)" = 0 ] || { echo "not root"; return 0; }
	record cell 2
	query "select sum(calls) from call where name = 'write'; select reason, sum(count) from not_recorded"
	same "$(query "select (select sum(calls) from call where name = 'write') + (select sum(count) from not_recorded)
		between 2001 and 2010, (select group_concat(distinct reason) from not_recorded)")" "1|unreachable" &&
	same "$(query "select count(*) from process where parent_id is not null")" 2 && same "$(find jail -mindepth 1 | wc -l)" 0
}

# Within a budget children that have ended are in totals, whether they have outgrown their slots or not, and
# their slots are others' then.
# A budget of 3 MiB; children that end at once are summed a moment later.
summed() {
	budget=3M
	record "$1" "$2"
	status=$?
	budget=$had
	[ $status = 0 ] || return 1
	kib=$(du -sk run/spool | cut -f 1)
	in_totals=$(query "select total(value) from environment where key = 'ended_children'")
	there=$(query "select count(*) from process where parent_id is not null")
	echo "$kib KiB, $in_totals children in totals, $there there, $(folders) folders"
	[ "$kib" -le 4096 ] && [ "${in_totals%.*}" -ge $(($2 / 4)) ] && same $((there - 1 + ${in_totals%.*})) "$2" &&
	same "$(writes)" "$(($2 * $3 + 1))|$(($2 * $3 * 10 + 10))" && same "$(query "select count(*) from not_recorded")" 0 &&
	same "$(query "select name || ': ' || message from checks where not ok")" ""
}

# While they are there: watch, where and a snapshot see them.
live() {
	rm -rf run snap out && mkdir run
	TACHO_DIR=$PWD/run TACHO_SAMPLE_HZ=0 LD_PRELOAD=$library setsid ./load stay 5 &
	job=$!
	for i in $(seq 300); do
		[ "$(stat -c %s out 2>/dev/null)" = 60 ] && break
		sleep 0.1
	done
	timeout 2 "$tacho" watch --json --interval 300ms run >said
	"$tacho" where run >where
	"$tacho" snapshot run -o snap >/dev/null
	status=$?
	kill -s KILL -- "-$job"
	wait $job 2>/dev/null
	tail -n 1 said && cat where && grep -q '"other_processes":6' said && same $status 0 || return 1
	[ "$(sqlite3 snap/tacho.db "select sum(calls), sum(bytes_sent), (select count(*) from process) from call where name = 'write'")" = "6|60|6" ]
}

# A slot, damaged anywhere: merge goes on.
damaged() {
	record _exit 10 || return 1
	for at in 0 100 4096 4100 4104 4112 4300 5000 6000 7200 12288 20000; do
		printf '\377\377\377\377\377\377\377\377' | dd of="$(echo run/spool/*/children.0)" bs=1 seek=$at conv=notrunc 2>/dev/null &&
		"$tacho" -q merge -f run >merged 2>&1
		[ $? -le 1 ] && [ -e "$(echo run/trace/traces.otf2)" ] || { echo "at $at"; cat merged; return 1; }
	done
}

for budget in 0 64M; do
	for how in raw _exit kill exec; do
		check "budget $budget: children that end by $how are whole, in no folder" ends $how
	done
	check "budget $budget: so are theirs" deep
	check "budget $budget: one that records more than a slot holds has a folder" moves
	check "budget $budget: one that names more, too" moves_names
	check "budget $budget: one with a second thread is whole" moves_thread
	check "budget $budget: all of them killed at once are whole" together
	check "budget $budget: in another root they are whole" jail
done
check "beyond its slot one in another root is counted" cell
had=$budget
check "a budget: children that outgrow their slots are summed" summed more 200 1000
check "watch, where and a snapshot see children that have no file" live
check "a child opens and makes no file" few_calls
check "a child touches few pages" few_pages
check "merge takes 4 kB of memory for a child" memory _exit
check "so it does for one with a folder" memory more
check "a damaged slot costs no more than itself" damaged
parts_add_up
plan
