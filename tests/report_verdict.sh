#!/bin/sh
# What the summary and the page say first: the verdict on made runs, in words that need no vocabulary.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3
plan 33

# says NAME LINE TEXT: the summary's line of the run
says() {
	"$tacho" report -s "$work/$1" | sed -n '/^verdict/,/^$/p' | awk '/^[a-z]/ { printf "\n" } { $1 = $1; printf "%s ", $0 }' |
		sed 's/ *$//' >"$work/text"
	grep -qxF -- "$2 $3" "$work/text" || { sed 's/^/# /' "$work/text"; return 1; }
}

# a run of 14 s on 4 ranks as in train.sql, changed by SQL
made() {
	make_run "$1" 4 100 2 train && sqlite3 -bail "$work/$1/tacho.db" "$2"
}

# waited RANKS FOR CALL NS: facts of a hang, as merge writes them
waited() {
	printf "insert into environment (run_id, scope, key, value)
		values (1, '', 'TACHO::HANG_KIND', 'late'), (1, '', 'TACHO::HANG_RANKS', '%s'), (1, '', 'TACHO::HANG_FOR', '%s'),
		(1, '', 'TACHO::HANG_CALL', '%s'), (1, '', 'TACHO::HANG_NS', '%s');" "$@"
}

trained="insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'run', 'host', 'trained', '', 7.6e9, 'ns', null), (1, 'run', 'host', 'in_steps', '', 12e9, 'ns', null);"

made healthy "$trained delete from host_time where \"window\" = 'run'; insert into host_time (run_id, process_id, window, state, ns)
	select 1, id, 'run', s.column1, s.column2
	from process, (values ('useful', 13.44e9), ('mpi', 0.28e9), ('io', 0.28e9)) s; update metric set value = 13.2e9 where name = 'trained'"
says healthy verdict "In training steps an average rank computed for 13.2 of 14.0 s; nothing that was found would save 1 %: computing limits the run"
check $? "of a healthy run it is said that computing limits the run"
says healthy why "the largest loss is 0.3 s (2 %): communication between the ranks, waiting for others included" ||
	says healthy why "the largest loss is 0.3 s (2 %): reading and writing files"
check $? "and what the largest loss is"
says healthy next "only less to compute, or faster processors, make it much faster; tacho scaling shows what more ranks would bring"
check $? "which is too little to begin with"

made comm "$trained update host_time set ns = 9e9 where \"window\" = 'run' and state = 'mpi';
	update host_time set ns = 3e9 where \"window\" = 'run' and state = 'useful'; update metric set value = 2.5e9 where name = 'trained'"
says comm verdict "In training steps an average rank computed for 2.5 of 14.0 s; nothing that was found would save 1 %: communication between the ranks limits the run"
check $? "where communication takes most time it is what bounds the run"

steps="$trained delete from host_time where \"window\" glob 'step:*'; insert into host_time (run_id, process_id, window, state, ns)
	select 1, id, 'step:1', s.column1, s.column2
	from process, (values ('useful', 9e9), ('wait', 0.2e9), ('io', 0.1e9)) s where rank >= 0;
	delete from call where class = 'wait'; insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, s.column1, s.column2, 9, s.column3, 1, 1 from process, (values ('recv', 'wait', 0.15e9), ('flock', 'wait', 0.05e9), ('pread', 'io', 0.1e9)) s where rank >= 0;"
made little "$steps"
says little verdict "In training steps an average rank computed for 7.6 of 14.0 s; nothing that was found would save 1 %: computing limits the run"
check $? "where ranks do not compute for 3 % of their steps, that is nothing"
made unexplained "$steps update host_time set ns = 0.5e9 where \"window\" = 'step:1' and state = 'wait'"
says unexplained verdict "In training steps an average rank computed for 7.6 of 14.0 s; no finding explains 6.3 % of the steps (0.6 s), in which ranks do not compute, mostly in recv"
check $? "where it is a twentieth, the call is named in which they are longest"

made input "$trained insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, term) values (1, 'data_loading', 1, 4.4, 'data-loading stall: the ranks wait 31 % of the run for samples',
	'the ranks wait for samples, as too few data-loader workers prepare them', 'select 1', 'more workers', 'high', 'data-loading stall')"
says input verdict "In training steps an average rank computed for 7.6 of 14.0 s; 4.4 s could be saved: the ranks wait for samples, as too few data-loader workers prepare them"
check $? "of several findings the one that saves most makes the verdict"
says input why "the ranks wait 31 % of the run for samples" && says input next "more workers"
check $? "with its figures, without its term, and with what to do"

# Half of a second of each rank is in detail, in which nearly all is computing; the totals have what the rest was.
detail="$trained insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'quality', 'not_in_detail', 'rank:' || rank, 13.5e9, 'ns', null from process where rank >= 0;
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		select 1, 'run', 'exact', s.column1, 'rank:' || rank, s.column2, 'ns', null from process, (values ('useful', 4e9), ('mpi', 10e9)) s
	where rank >= 0; update host_time set ns = 0.45e9 where \"window\" = 'run' and state = 'useful'; update host_time set ns = 0.05e9 where \"window\" = 'run'
	and state = 'mpi'; delete from host_time where \"window\" = 'run' and state not in ('useful', 'mpi'); insert into host_time (run_id, process_id, window, state, ns)
		select 1, id, 'run',
	'not_in_detail', 13.5e9 from process where rank >= 0; update metric set value = 4e9 where name = 'trained'; insert into socket (run_id, process_id, path,
	protocol, peer_id, writes, reads, bytes_sent, bytes_received, bytes_in_steps, send_ns, receive_ns) values (1, 1, 'socket:[1]', 'tcp', 2, 9, 0, 5e6, 0, 5e6, 9, 0)"
made detail "$detail"
says detail verdict "In training steps an average rank computed for 4.0 of 14.0 s; nothing that was found would save 1 % of the 0.5 s that are in detail: communication between the ranks limits the run"
check $? "where little is in detail the totals say what bounds the run"
says detail why "the largest loss is 10.0 s (71 %): communication between the ranks, waiting for others included"
"$tacho" report -s "$work/detail" | grep -q '^through sockets *5.00 MB in all between ranks  – of what is in detail$'
check $? "and bytes through sockets are of what is in detail, not of all steps"
made found "$detail; insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values (1, 'without_core', 1, 0.2, 'CPU oversubscription: 2 ranks of node n1 waited',
	'ranks have to wait for a core', 'select 1', 'look at n1', 'medium; of the part that is in detail')"
says found verdict "In training steps an average rank computed for 4.0 of 14.0 s; of the 0.5 s that are in detail 0.2 s could be saved: ranks have to wait for a core" &&
	"$tacho" report -s "$work/found" | grep -q '^findings, seconds saved of 0.50 that are in detail$'
check $? "nor is what could be saved there said of the whole"

made over "$trained update metric set value = 11.5e9 where name = 'trained'; insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence) values (1, 'without_core', 1, 6,
	'CPU oversubscription: 2 ranks of node n1 waited', 'ranks have to wait for a core', 'select 1', 'look at n1', 'medium')"
says over verdict "In training steps an average rank computed for 11.5 of 14.0 s; 6.0 s could be saved, part of it computing: ranks have to wait for a core"
check $? "what would be saved of training is said where both are more than the run"

made stuck "$trained update metric set value = 0.1e9 where name = 'trained'; update host_time set ns = 11e9 where \"window\" = 'run' and
	state = 'mpi'; update run set cut = 1; update process set end = 'killed', end_ns = 13e9;
	update location set inside = case process_id when 3 then 'read' else 'MPI_Allreduce' end, inside_since_ns = 8e9 where is_main;
	$(waited 0,1,3 2 MPI_Allreduce 5000000000)"
says stuck verdict "The run hung: 3 of 4 ranks were in MPI_Allreduce for 5.0 s when it ended, and rank 2 did not come; in training steps an average rank computed for 0.1 of 14.0 s; most of the rest went to communication between the ranks (11.0 s), reading and writing files (2.1 s)"
check $? "of a hang it is said what most of the time went to"

made threads "insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'counters', s.column1, 'rank:' || (id - 1), s.column2, 'ns', null from process,
	(values ('cpu', 40e9), ('core_ran', 7e9)) s where rank is not null"
says threads verdict "An average rank worked for 7.6 of 14.0 s in its main thread, and its other threads for 33.0 s; nothing that was found would save 1 %: computing limits the run"
check $? "threads that compute more than main threads are said with them"

made slow "$trained update step set start_ns = start_ns + 4e9, end_ns = end_ns + 4e9; insert into finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence, is_bound) values (1, 'step_compute', 1, 3.13,
	'straggler: rank 2 on n1 is 7.6 times as slow', 'the other ranks wait for rank 2, which is slower (in sleeping)', 'select 1', 'look at n1', 'low: an upper bound', 1)"
says slow verdict "In training steps an average rank computed for 7.6 of 14.0 s and 5.0 s passed before the first step; up to 3.1 s could be saved: the other ranks wait for rank 2, which is slower (in sleeping)"
check $? "a long start is named, and an upper bound is one"

made bounded "$trained update step set start_ns = start_ns + 4e9, end_ns = end_ns + 4e9, confidence = 0.9;
	insert into metric (run_id, window, model, name, subject, value, unit, flag)
		values (1, 'run', 'quality', 'not_in_detail', 'rank:0', 5e9, 'ns', null)"
says bounded verdict "In training steps an average rank computed for 7.6 of 14.0 s; nothing that was found would save 1 % of the 13 s that are in detail: computing limits the run"
check $? "of steps that were found, of a part of the run, nobody knows when they began"

make_run killed 4 100 2 train killed
says killed verdict "Rank 1 was killed at 12.346 s, inside MPI_Allreduce for 2.100 s; an average rank worked for 7.6 of 14.0 s"
check $? "a death stands first, whatever else there is to say"

made hung "update run set cut = 1; update process set end = 'killed', end_ns = 13e9;
	update location set inside = case process_id when 3 then 'read' else 'MPI_Allreduce' end, inside_since_ns = 8e9 where is_main;
	$(waited 0,1,3 2 MPI_Allreduce 5000000000)"
says hung verdict "The run hung: 3 of 4 ranks were in MPI_Allreduce for 5.0 s when it ended, and rank 2 did not come; an average rank worked for 7.6 of 14.0 s"
check $? "so does a hang, with the rank that did not come"
says hung why "rank 2 was in read for 5.0 s" && says hung next "if it hangs again, check what rank 2 does while the run hangs: py-spy dump --pid PID, gdb -p PID"
check $? "where that was, and how to look at it"
sqlite3 "$work/hung/tacho.db" "update location set inside = case when process_id > 2 then 'clock_nanosleep' else 'torch:Work.wait' end where is_main;
	update environment set value = case substr(key, 13) when 'RANKS' then '0,1' when 'FOR' then '2,3' when 'CALL' then 'torch:Work.wait' else value end
	where key glob 'TACHO::HANG_*'"
says hung verdict "The run hung: 2 of 4 ranks were in torch:Work.wait for 5.0 s when it ended, and rank 2, rank 3 did not come; an average rank worked for 7.6 of 14.0 s" &&
	says hung why "rank 2 was in clock_nanosleep for 5.0 s, rank 3 was in clock_nanosleep for 5.0 s"
check $? "the ranks that did not come are those that merge found"
sqlite3 "$work/hung/tacho.db" "delete from environment where key glob 'TACHO::HANG_*'"
"$tacho" report -s "$work/hung" >"$work/text" && ! grep -q 'The run hung' "$work/text"
check $? "and where it found none the calls at the end are no hang"

# rank 1 ends at 5 s, and the launcher ends the others 2 s later
made dead "update run set cut = 1, exit_status = 139; update process set end = 'killed', end_ns = case rank when 1 then 5e9 else 7e9 end;
	update location set inside = 'MPI_Allreduce', inside_since_ns = 5e9 where is_main and process_id <> 2;
	insert into environment (run_id, scope, key, value)
		values (1, '', 'TACHO::HANG', 'Ranks 0, 2 and 3 wait in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1, which was killed at 5.000 s.'), (1, '', 'TACHO::HANG_KIND', 'dead')"
says dead verdict "Rank 1 was killed at 5.000 s; an average rank worked for 7.6 of 14.0 s" &&
	says dead why "Ranks 0, 2 and 3 wait in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1, which was killed at 5.000 s; the command ended with status 139 (SIGSEGV)"
check $? "who waited for a rank that died did not hang"
sqlite3 "$work/dead/tacho.db" "delete from environment where key glob 'TACHO::HANG*'"
says dead verdict "Rank 1 was killed at 5.000 s; an average rank worked for 7.6 of 14.0 s" &&
	says dead why "it was the first of 4 to end badly, of 4 ranks; the command ended with status 139 (SIGSEGV)"
check $? "nor where only the times tell"
# rank 0 was last seen before rank 1 ended by itself
made abort "update run set cut = 1, exit_status = 5; update process set end = 'killed', end_ns = case rank when 1 then 5.05e9 else 5e9 end;
	update location set inside = iif(process_id = 2, 'MPI_Abort', 'MPI_Allreduce'), inside_since_ns = 4.99e9 where is_main;
	insert into environment (run_id, scope, key, value) values (1, 'rank:1', 'exit_status', '5')"
says abort verdict "Rank 1 called MPI_Abort with status 5 at 4.990 s; an average rank worked for 7.6 of 14.0 s" && says abort next "see what rank 1 printed before that"
check $? "who called MPI_Abort is named, not whom the launcher killed"

made lost "$trained insert into not_recorded (run_id, subject, reason, count, message) values (1, 'rank:3', 'disk_full', 1234, 'no space');
	insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'quality', 'lost', 'rank:3', 5.6e9, 'ns', null)"
says lost verdict "1,234 events were lost (10 % of the time is unknown); in training steps an average rank computed for 7.6 of 14.0 s; nothing that was found would save 1 %: computing limits the run"
check $? "a loss of events is said ahead of figures that it touches"

made silent "update location set nevents = 0 where process_id = 4"
says silent verdict "Rank 3 left no events: figures are of the other ranks; an average rank worked for 7.6 of 14.0 s"
check $? "a rank of which nothing is known is named"

made again "$trained update process set attempt = 2, start_ns = 6e9; insert into process (id, run_id, node_id, rank, pid, exit_status, attempt, name, end, start_ns, end_ns)
	values (11, 1, 1, null, 7, 7, 1, 'rank 1 child 7', 'finished', 0, 4.2e9)"
says again verdict "2 attempts were made: rank 1 exited with status 7 at 4.200 s; ranks were started anew 1.8 s after that; in training steps an average rank computed for 7.60 of 8.00 s of attempt 2; nothing that was found would save 1 %: computing limits the run"
check $? "so are attempts, and why the first one ended"
sqlite3 "$work/again/tacho.db" "update step set start_ns = max(start_ns, 7e9); update process set saved_steps = 40 where id = 11;
	insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) values (1, 11, 'step', 'user', 71, 1, 1, 1)"
steps=$(sqlite3 "$work/again/tacho.db" "select 71 + max(n) from (select count(*) as n from step group by process_id)")
says again verdict "2 attempts were made: rank 1 exited with status 7 at 4.200 s, after 71 steps; ranks were started anew 1.8 s and trained again 2.8 s after that; 31 of $steps steps since the last checkpoint were lost; in training steps an average rank computed for 7.60 of 8.00 s of attempt 2 and 1.00 s passed before the first step; nothing that was found would save 1 %: computing limits the run"
check $? "what was saved before is not lost, and the first step of an attempt is after its own start"

made unmarked "delete from step; insert or replace into checks (run_id, window, name, ok, message) values (1, 'run', 'causality', 1, null)"
says unmarked steps 'no step was found (no marker, no backward passes of PyTorch, no period in the collectives): mark them by `with tacho.step(n, samples=len(batch)):` (include/tacho.py) or tacho_step_begin() (include/tacho.h) to have figures per step and samples per second' &&
	made short "delete from step; delete from checks where name = 'causality'" &&
	says short steps "a summary does not look for them; tacho analyze without --summary does"
check $? "where no step is known it is said how to get them, and that a summary does not look"

make_run gpu 4 100 2 train gpu
says gpu verdict "An average GPU computed for 7.6 of 14.0 s; nothing that was found would save 1 %: computing limits the run"
check $? "with GPUs the time is theirs"

# without steps the GPU of rank 0 works from 3 s until 12 s of 14, and 10 s it waits for the program, most in one line
gpu="delete from step; delete from device_time; insert into device_time (run_id, device_id, window, state, ns)
	values (1, 1, 'run', 'compute', 2e9), (1, 1, 'run', 'idle:host_compute', 10e9),
	(1, 1, 'run', 'idle:wait', 2e9); update location set start_ns = 3e9, end_ns = 12e9 where id = 100001;
	delete from python_sample; insert into python_frame (id, run_id, caller_id, own_id, function, file, line) values (9001, 1, null, null, 'Net.build', '/home/a/net.py', 17), (9002, 1, null, null, 'read', '/home/a/io.py', 3);
	insert into python_sample (run_id, process_id, location_id, frame_id, state, call, phase, samples, ns)
		select 1, id, (select id from location where process_id = p.id and is_main), 9001, 'computing', null, null, 99, 5e9
		from process p where rank is not null union all select 1, 1, 1, 9002, 'io', null, null, 99, 9e9"
sqlite3 -bail "$work/gpu/tacho.db" "$gpu"
says gpu verdict "An average GPU computed for 2.0 of 14.0 s, 3.0 s passed before its first work and 2.0 s after its last; nothing that was found would save 1 %: GPUs without work limits the run" &&
	says gpu why "the largest loss is 12.0 s (86 %): GPUs without work, mostly while the program computed (10.0 s), most at Net.build() in net.py:17"
check $? "without steps it is said when GPUs had their first and last work, what they waited for, and in which line"
sqlite3 "$work/gpu/tacho.db" "update run set cut = 1; update location set start_ns = 1e9 where id = 100001; delete from python_sample"
says gpu verdict "An average GPU computed for 2.0 of 14.0 s; nothing that was found would save 1 %: GPUs without work limits the run" &&
	says gpu why "the largest loss is 12.0 s (86 %): GPUs without work, mostly while the program computed (10.0 s)"
check $? "but not how long after its last work a run was cut off, nor a start of less than a tenth"

"$tacho" report "$work/input" >/dev/null 2>&1
grep -qF '<p class="verdict note">In training steps an average rank computed for 7.6 of 14.0 s; 4.4 s could be saved: the ranks wait for samples, as too few data-loader workers prepare them</p>' \
	"$work/input/report.html"
check $? "the page begins with the same sentence"
