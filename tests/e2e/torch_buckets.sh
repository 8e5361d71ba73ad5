#!/bin/sh
# Buckets of gradients of DistributedDataParallel: their sizes and exchanges, and how much of these the backward pass
# hides. The program sleeps in its backward pass between the two buckets: the first ends by then.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_buckets.py" .

cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	RANK=1 LOCAL_RANK=1 timeout 100 /usr/bin/python3 torch_buckets.py &
	RANK=0 LOCAL_RANK=0 timeout 100 /usr/bin/python3 torch_buckets.py && wait $!
END

check "a training in two buckets is recorded" "$tacho" -q record -o run -- sh ./launch
# the first pass has all gradients in one bucket: 600 × 500 + 500 × 8 numbers of 4 bytes
check "each bucket has its bytes and exchanges" same "$(query "select rank || ' ' || n || ' ' || bytes || ' ' || exchanges
	from gradient_bucket b join process p on p.id = b.process_id order by rank, n, bytes")" "0 0 1200000 11
0 0 1216000 1
0 1 16000 11
1 0 1200000 11
1 0 1216000 1
1 1 16000 11"
check "each rank has its passes" same "$(query "select group_concat(passes) from gradient_pass")" 12,12
# of the rank that comes last, as the other one waits for it
check "the bucket before the sleep is hidden" same "$(query "select max(ns > 0 and exposed_ns < 0.2 * ns) from gradient_bucket
	where bytes = 1200000")" 1
check "the one at the pass's end is exposed" same "$(query "select max(ns > 0 and exposed_ns > 0.5 * ns) from gradient_bucket
	where bytes = 16000")" 1
check "the whole is no less than a bucket and no more than both" same "$(query "select sum(g.ns <= (select sum(b.ns) + 100 from gradient_bucket b
	where b.process_id = g.process_id) and g.ns >= (select max(b.ns) - 100 from gradient_bucket b where b.process_id = g.process_id)
	and g.exposed_ns <= (select sum(b.exposed_ns) + 100 from gradient_bucket b where b.process_id = g.process_id)) from gradient_pass g")" 2
check "what is exposed is within what ranks wait for" same "$(query "select sum(g.exposed_ns <= c.total_ns and g.exposed_ns > 0)
	from gradient_pass g join call c on c.process_id = g.process_id and c.name = 'torch:DDP.finalize_backward'")" 2
"$tacho" report -s run >text
check "the summary has it in a line" grep -q '^ *gradients  *1.22 MB per backward pass in 2 buckets · exchange .*, [0-9]* % overlapped' text
check "so has the page" sh -c '"$0" -q report run && grep -q "Exchange of gradients by DistributedDataParallel" run/report.html' "$tacho"
"$tacho" stats run gradients >text
check "and stats" grep -q '^ *2 .* 22 ' text

check "a training that is killed is recorded" sh -c '! KILL=1 "$0" -q record -o killed -- sh ./launch' "$tacho"
check "its passes are known up to then" same "$(query "select group_concat(passes) from gradient_pass" killed)" 7,7

check "passes of no_sync() exchange nothing" env NO_SYNC=1 sh -c '
	sed -i "s/^STEPS, SLEEP.*/STEPS, SLEEP, INNER, OUTER = 12, 0.02, 600, 500/" torch_buckets.py
	"$0" -q record --max-size 256K -o some -- sh ./launch' "$tacho"
check "and are none that are counted, within a budget" same "$(query "select group_concat(passes) from gradient_pass" some)" 6,6
plan
