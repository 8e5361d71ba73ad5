#!/bin/sh
# tacho merge --totals: threads as totals. What is exact in totals is to the nanosecond what the whole analysis has.
. "$top_srcdir/tests/e2e/lib.sh"
make=$top_builddir/tests/unit/spool_make

# training GIVES ENDS: 4 ranks with phases, steps, reads, waits, messages and collectives, as text for spool_make. With
# GIVES half of the records are given up, and one step of them is kept; without ENDS they were killed in a receive.
training() {
	awk -v gives="$1" -v ends="$2" -v OFMT=%.0f '
	function line(type, region, a, start, ns, more) { print "rec", type, region, 0, a, start, ns, more }
	function step(number, t) {
		line("BEGIN", "step", 1, t + 1000, 0, number)
		line("BEGIN", "region", 4, t + 1500, 0, 0)
		line("IO_PLAIN", "read", 1, t + 2000, 1000000 + rank * 3000, 4096)
		line("IO_PLAIN", "read", gives ? 1 : 2, t + 2000000 + rank * 5000, 500000, 64)
		line("END", "region", 4, t + 2900000, 0, 0)
		line("SYNC", "pthread_cond_wait", 0, t + 3000000, 400000 + rank, 4711)
		line("P2P", "MPI_Isend", 1, t + 4000000, 3000, (rank + 1) % 4 "|7 65536|5")
		line("P2P", "MPI_Irecv", 1, t + 4010000, 3000, (rank + 3) % 4 "|7 65536|6")
		line("DONE_SHORT", "MPI_Waitall", 2, t + 4020000, 900000 + rank * 1000, "5|65536 6|65536")
		line("COLL", "MPI_Allreduce", 1, t + 6000000 + rank * 7000, 4000000 - rank * 7000, 1048576)
		line("END", "step", 1, t + 12000000, 0, 32)
	}
	function epoch(e, t,   s) {
		line("BEGIN", "phase", 2, t, 0, 0)
		for (s = 0; s < 8; s++) {
			if (gives && e == 0 && s == 3)
				print "keep"
			step(e * 8 + s, t + s * 20000000)
			if (gives && e == 0 && s == 3)
				print "kept"
			if (gives && e == 1 && s == 4)
				print "given"
		}
		t += 160000000
		line("END", "phase", 2, t, 0, 0)
		line("BEGIN", "phase", 3, t + 1000, 0, 0)
		line("COLL", "MPI_Barrier", 1, t + 2000 + rank * 500000, 3000000 - rank * 500000, 0)
		line("END", "phase", 3, t + 5000000, 0, 0)
	}
	BEGIN {
		for (rank = 0; rank < 4; rank++) {
			print "process node1." rank + 1 ".0", rank + 1, rank, 4
			print "name 1 step\nname 2 train\nname 3 validate\nname 4 forward"
			print "comm 1 world 0 0", rank, "0-3 MPI_COMM_WORLD"
			print "handle 1 file", rank + 10, 0, "/data/part" rank
			print "handle 2 pipe 77 0 pipe"
			print "heartbeat 8000000000"
			if (ends)
				print "end 8000000000"
			print "thread 0 main"
			if (!ends)
				print "inside 0 MPI_Recv 900000000 1"
			if (gives)
				print "give"
			line("IO_LONG", "open", 1, 1000, 5000, "3 0")
			line("CALL", "MPI_Init", 0, 1000000 + rank * 1000, 200000000)
			for (e = 0; e < 3; e++)
				epoch(e, 300000000 + e * 170000000)
			if (!ends)
				continue
			line("CALL", "MPI_Finalize", 0, 820000000 + rank * 100000, 50000000)
			line("THREAD_END", "-", 0, 880000000, 0, 0)
		}
	}'
}

# both RUN: merged and analysed whole and by totals
both() {
	timeout 60 "$tacho" -q merge "$1" >/dev/null && timeout 60 "$tacho" -q analyze "$1" &&
		timeout 60 "$tacho" -q merge --totals -o "$1/totals" "$1" >/dev/null &&
		timeout 60 "$tacho" -q analyze --db "$1/totals.db" "$1/totals/traces.otf2"
}

# made RUN GIVES ENDS [-b]
made() {
	mkdir -p "$1/spool" && training "$2" "$3" | "$make" $4 "$1/spool" && both "$1"
}

# equal RUN: what totals have, the whole has: calls, phases, steps with their parts, states of ranks, and each figure that
# carries no flag
equal() {
	sqlite3 "$1/totals.db" "attach '$1/tacho.db' as whole;
		create temp view efficiency as select 'host' as model, 'host_parallel_efficiency' as name
			union select 'mpi', 'parallel_efficiency' union select 'mpi', 'load_balance' union select 'mpi', 'communication_efficiency';
		create temp view figures as select window, model, name, subject, value from main.metric where flag is null
			and model not in ('quality', 'critical_path', 'exact', 'calls') and name <> 'length';
		select 'figure', * from (select * from figures except select window, model, name, subject, value from whole.metric);
		select 'efficiency', * from efficiency, (select 'run' as window union select 'active' union select 'phase:train' union select 'phase:validate') w
			where not exists (select 1 from figures f where f.window = w.window and f.model = efficiency.model and f.name = efficiency.name);
		select 'call', * from (select process_id, name, calls, total_ns, bytes_sent, bytes_received from main.call
			except select process_id, name, calls, total_ns, bytes_sent, bytes_received from whole.call);
		select 'calls', count(*) from whole.call having count(*) <> (select count(*) from main.call) or count(*) = 0;
		select 'phase', * from (select p.process_id, p.name, p.start_ns, p.end_ns from whole.phase p except
			select p.process_id, p.name, p.start_ns, p.end_ns from main.phase p);
		select 'step', * from (select process_id, n, start_ns, end_ns, samples from whole.step except
			select process_id, n, start_ns, end_ns, samples from main.step);
		select 'part', s.* from main.step_sum s join whole.host_time t on t.process_id = s.process_id and t.window = 'step:' || s.n
			where (t.state = 'io' and t.ns <> s.io_ns) or (t.state = 'mpi' and t.ns <> s.mpi_ns);
		select 'state', m.subject, m.name, m.value from main.metric m where m.model = 'exact' and m.window = 'run' and m.value <>
			coalesce((select w.value from whole.metric w where w.model = 'exact' and w.window = 'run' and w.name = m.name
				and w.subject = m.subject), (select t.ns from whole.host_time t join whole.process p on p.id = t.process_id
				where t.window = 'run' and t.state = m.name and 'rank:' || p.rank = m.subject));
		select 'no state' where not exists (select 1 from main.metric where model = 'exact' and name = 'mpi')"
}

# many: MPI_Init, ten steps with an all-reduce, MPI_Finalize
many() {
	mkdir -p many/spool && awk 'BEGIN {
		for (rank = 0; rank < 1024; rank++) {
			print "process node" int(rank / 8) "." rank + 1 ".0", rank + 1, rank, 1024
			print "node node" int(rank / 8)
			print "name 1 step\ncomm 1 world 0 0", rank, "0-1023 MPI_COMM_WORLD\nend 45000000\nthread 0 main"
			print "rec CALL MPI_Init 0 0 100 500"
			for (step = 0; step < 10; step++) {
				print "rec BEGIN step 0 1", step * 4000000 + 1000, 0, step
				print "rec COLL MPI_Allreduce 0 1", step * 4000000 + 2000000, 1000000, 1048576
				print "rec END step 0 0", step * 4000000 + 3900000, 0, 32
			}
			print "rec CALL MPI_Finalize 0 0 41000000 500\nrec THREAD_END - 0 0 41001000 0 0"
		}
	}' | "$make" many/spool && timeout 120 "$tacho" -q merge -j 1 --totals many >/dev/null && timeout 120 "$tacho" -q analyze -j 1 --summary many &&
		[ "$(sqlite3 many/tacho.db "select count(*), sum(calls) from call where name in ('MPI_Init', 'MPI_Allreduce', 'MPI_Finalize')")" = "3072|12288" ]
}

# What 1,024 ranks take beyond what one of 64 does; the memory of files counts as long as it is mapped.
is_little() {
	mkdir -p few64/spool && cp -r many/spool/node[0-7].* few64/spool/ || return 1
	for run in few64 many; do
		/usr/bin/python3 -c 'import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' timeout 120 "$tacho" -q merge -f -j 1 --totals $run
	done | awk '{ kib[NR] = $1 } END { each = (kib[2] - kib[1]) / (1024 - 64); print each " KiB a rank"; exit !(NR == 2 && each > 0 && each * 1024 <= 64000) }'
}

nothing() { said=$("$@" 2>&1) && [ -z "$said" ] || { echo "$said" | head -n 8 | sed 's/^/# /'; return 1; }; }
events() { timeout 60 "$tacho" merge -f "$@" | sed -n 's/.* locations, \([0-9]*\) events.*/\1/p'; }

made whole "" 1 && check "what is exact in totals is what the whole analysis has" nothing equal whole
made brief "" 1 -b && check "so it is of calls in brief" nothing equal brief
made bounded 1 1 && check "and where the spool had given up half of it" nothing equal bounded
made killed "" "" && check "and of ranks that were killed" nothing equal killed
check "which were in the same call" sh -c 'sqlite3 killed/totals.db "select inside, inside_since_ns from location" >a &&
	sqlite3 killed/tacho.db "select inside, inside_since_ns from location" | diff - a && grep -q "MPI_Recv|" a'
check "a fifth of the events is left" [ "$(events --totals -o few whole)" -lt $(($(events -o many whole) / 5)) ]

# Copies of MPI_Init lie anywhere in memory, some at the begin of a page.
check "totals of 1,024 ranks have each rank's calls" many
check "in 64 kB of memory for each rank, or less" is_little

# A stretch of which records were lost is no total.
mkdir -p gap/spool
training "" 1 | sed 's/^rec COLL MPI_Barrier .*/&\nrec GAP - 0 0 640000000 1000 0/' | "$make" gap/spool
check "threads with lost records stay in detail" [ "$(events --totals -o few gap)" = "$(events -o many gap)" ]

# clocks are tied by collectives in detail, and MPI_Waits of two threads have one another's requests
all_calls() {
	for case in "$top_srcdir"/tests/golden/merge_*.txt; do
		name=$(basename "$case" .txt)
		[ "$name" != merge_posted_clocks ] || continue
		mkdir -p "$name/spool" && "$make" "$name/spool" <"$case" && both "$name" 2>/dev/null || echo "$name failed"
		sqlite3 "$name/totals.db" "attach '$name/tacho.db' as whole; select '$name', * from (select process_id, name, calls, total_ns
			from whole.call except select process_id, name, calls, total_ns from main.call)"
	done
}
check "calls and their times are the same of all worked spools" nothing all_calls

# damaged HOW: each file of a run at some places
damaged() {
	for file in node1.1.0/process node1.1.0/thread.0 node1.2.0/totals.0 node1.2.0/kept.0; do
		size=$(stat -c %s "bounded/spool/$file")
		for part in 0 1 2 3 4 5 6 7 8; do
			rm -rf bad && mkdir bad && cp -r bounded/spool bad/
			"$top_builddir/tests/unit/spool_damage" "$1" $((size * part / 9 + part * 8)) "bad/spool/$file"
			timeout 60 "$tacho" -q merge --totals bad >/dev/null 2>err
			case $? in 0 | 1) ;; *) echo "$file at $part: $?" ;; esac
			grep 'crashed (signal' err
		done
	done
	:
}
# After a run: a spool of 100 GB, nearly all of it a hole, is more than cores read in a minute.
answered() {
	timeout 120 "$tacho" finish "$1" >out 2>&1 && cat out
}
says() { tr -s ' \n' ' ' <out | grep -F "$1"; }
property() { sqlite3 "$1/tacho.db" "select count(*) from environment where key = 'TACHO::TOTALS'"; }
for run in small large; do
	mkdir -p $run/spool && training "" 1 | "$make" $run/spool
done
truncate -s 100G large/spool/node1.1.0/thread.0
check "a small run is answered from all events" [ "$(answered small >/dev/null && property small)" = 0 ]
check "and its spools go" [ ! -e small/spool ]
check "a large run is answered from totals" [ "$(answered large >/dev/null && property large)" = 1 ]
check "which the summary states" says '`tacho analyze --all RUN` reads all calls'
check "with no word on seconds in detail" [ "$(grep -c 's that are in detail' out)" = 0 ]
check "and the spools stay" [ -s large/spool/node1.1.0/thread.0 ]
check "for all of it" timeout 300 "$tacho" -q analyze --all large
check "which then is that of the small run" [ "$(property large; sqlite3 large/tacho.db "select * from call; select * from collective")" = \
	"$(property small; sqlite3 small/tacho.db "select * from call; select * from collective")" ]

for how in cut flip random; do
	check "totals of spools that are damaged ($how) are written or refused" nothing damaged $how
done
plan
