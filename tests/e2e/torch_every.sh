#!/bin/sh
# Every operation of torch.distributed over gloo, on four ranks, in the world and in pairs: the program says which it made, of how
# many bytes, and the database has those and no others.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cp "$top_srcdir/tests/e2e/torch_every.py" .
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=4 LOCAL_WORLD_SIZE=4
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT") && export MASTER_PORT
	for rank in 3 2 1; do
		RANK=$rank LOCAL_RANK=$rank timeout 200 /usr/bin/python3 torch_every.py &
	done
	RANK=0 LOCAL_RANK=0 timeout 200 /usr/bin/python3 torch_every.py && wait $!
END
# truth PATTERN: lines of the program; recorded SQL: those of the database
truth() { cat ?.truth | grep "$1" | LC_ALL=C sort; }
recorded() { query "$1" | tr '|' ' ' | LC_ALL=C sort; }

check "four ranks are recorded" "$tacho" -q record -o run -- sh ./launch
check "the program has made operations of eight kinds" [ "$(truth '^[24]' | cut -d ' ' -f 2 | uniq | sort -u | wc -l)" = 8 ]
check "each collective is there once, with its group and its bytes" same "$(recorded "select m.size, c.op, c.bytes from collective c
	join communicator m on m.kind = c.kind and m.id = c.comm_id")" "$(truth '^[24]')"
check "each rank's messages have their numbers and bytes" same "$(recorded "select p.rank, sum(c.calls), sum(c.bytes_sent), sum(c.bytes_received)
	from call c join process p on p.id = c.process_id where c.name in ('gloo:send', 'torch:RecvWork.wait') group by p.rank")" \
	"$(for rank in 0 1 2 3; do awk -v rank=$rank '$1 == 0 { n++; sum[$2] += $3 } END { print rank, n, sum["send"], sum["recv"] }' $rank.truth; done)"
check "all have partners, no check fails, nothing is lost" same "$(query "select (select count(*) from unmatched)
	+ (select count(*) from checks where not ok) + (select total(count) from loss)")" 0.0

# ProcessGroupWrapper compares the calls of all ranks before each operation, by all-gathers in a group of its own.
rm -rf run
check "four ranks that compare their calls are recorded" env TORCH_DISTRIBUTED_DEBUG=DETAIL "$tacho" -q record -o run -- sh ./launch
check "with the same operations" same "$(recorded "select m.size, c.op, c.bytes from collective c
	join communicator m on m.kind = c.kind and m.id = c.comm_id where c.op <> 'allgather'")" "$(truth '^[24]' | grep -v allgather)"
check "and the comparisons" same "$(query "select count(*) > $(truth '^[24]' | wc -l) from collective where op = 'allgather'")" 1
plan
