#!/bin/sh
# The frame of a run: ranks that torch.multiprocessing.spawn starts, which meet by a file. The run begins with the
# program that starts them, and what comes before the first step and after the last one is told.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_spawn.py" .

check "a training by mp.spawn and file:// is recorded" "$tacho" -q record -o run -- /usr/bin/python3 torch_spawn.py "$PWD/meeting"
check "both ranks have their steps" same "$(query "select group_concat(rank || ' ' || n, ', ') from (select p.rank, count(*) as n from step s
	join process p on p.id = s.process_id where not cut group by p.rank order by p.rank)")" "0 20, 1 20"
check "the run begins with the program that starts them" same "$(query "select min(start_ns) < 50e6, min(iif(rank is not null, start_ns, null)) > 100e6
	from process")" "1|1"
"$tacho" report run >/dev/null 2>&1
# seconds WHEN STATE: of an average rank
seconds() { awk -F , -v when="$1" -v state="$2" '$1 == when && $3 ~ state { s += $4 } END { print s / 1e9 }' run/report/job_ends.csv; }
within() { awk -v x="$1" -v least="$2" -v most="$3" 'BEGIN { print x; exit !(x >= least && x <= most) }'; }
check "the time until ranks are started is the launch" within "$(seconds 'before the first step' '^launch')" 0.1 100
# one rank sleeps for the upload, the other one waits for it
check "the upload after the last step is told" within "$(seconds 'after the last step' '^wait')" 0.45 2
check "with the wait of the other rank" within "$(seconds 'after the last step' '^gloo')" 0.3 2
"$tacho" report -s run | tr -s ' \n' '  ' >text
check "the summary has both ends, imports and the last checkpoint" grep -q 'start and end [0-9.]* s before the first step (imports .*): .* s after the last step (torch.save ' text
check "and who holds the end up" grep -q 'rank 0 sleeps .* s after the last step, mostly in upload() at torch_spawn.py:' text

# The same below a script: a program joins when it imports PyTorch; a launcher does not.
printf '#!/bin/sh\nsleep 0.1\n/usr/bin/python3 torch_spawn.py "$PWD/meeting2"\n:\n' >job
check "the same is recorded below a script" "$tacho" -q record -o below -- sh ./job
check "from the program that starts the ranks on" same "$(query "select min(start_ns) < 100e6, min(iif(rank is not null, start_ns, null)) > 100e6,
	count(distinct rank) from process" below)" "1|1|2"
check "with all their steps" same "$(query "select group_concat(n) from (select count(*) as n from step where not cut group by process_id)" below)" 20,20
cat >work.py <<-'END'
	import os, sys, torch
	if len(sys.argv) > 1:
	    torch.nn.Linear(2, 2)(torch.ones(2)).sum().backward()
	    print("worked", os.environ["RANK"])
END
printf '#!/bin/sh\nPYTHONPATH= "%s" --nproc_per_node 2 --monitor_interval 0.1 work.py backward\n/usr/bin/python3 work.py\n' \
	"$top_srcdir/examples/pytorch/torchrun" >job
check "a script of a launcher and of a program that only imports PyTorch is recorded" sh -c '"$0" -q record -o launched -- sh ./job >said' "$tacho"
check "the launcher is left alone" same "$(query "select group_concat(coalesce(rank, '-')) from (select rank from process
	order by rank)" launched)" "-,0,1"
plan
