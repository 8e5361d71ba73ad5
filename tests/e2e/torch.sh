#!/bin/sh
# PyTorch as it is: two ranks over gloo, loader children that read the samples. What they read is
# counted exactly, and the weights are those of a run without tacho, bit for bit.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"

# As torchrun starts its workers; Debian's own torchrun does not run with Debian's Python.
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2
	MASTER_PORT=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	export MASTER_PORT
	RANK=1 LOCAL_RANK=1 timeout 100 /usr/bin/python3 "$0.py" "$@" &
	RANK=0 LOCAL_RANK=0 timeout 100 /usr/bin/python3 "$0.py" "$@" && wait $!
END
cp "$top_srcdir/tests/e2e/torch_ddp.py" launch.py
unset PYTHONPATH

check "a training runs without tacho" sh ./launch data bare.txt
check "and under it" "$tacho" -q record -o run -- sh ./launch data seen.txt
check "its weights are the same bit for bit" cmp bare.txt seen.txt
check "both ranks ended by themselves" same "$(query "select group_concat(rank || end) from
	(select * from process where rank is not null order by rank)")" "0finished,1finished"
# two workers for each of two epochs on each of two ranks
check "so did their loaders' children" same "$(query "select count(*) from process
	where rank is null and parent_id is not null and end = 'finished'")" 8
check "each sample is opened once in each epoch by a child, and read in full" same "$(query "select sum(opens) || ' ' ||
	sum(bytes_read) from io_file f join process p on p.id = f.process_id
	where path glob '*data/*.bin' and p.rank is null")" "$((96 * 2)) $((96 * 2 * 4096))"
check "written by rank 0 alone" same "$(query "select sum(bytes_written) from io_file f join process p on p.id = f.process_id
	where path glob '*data/*.bin' and p.rank = 0")" $((96 * 4096))
check "no check of the analysis fails" same "$(query "select count(*) from checks where not ok")" 0
"$tacho" report -s run >text
check "who reads the efficiencies learns that gloo's talk is not among them" grep -q 'no MPI or NCCL call of the 2 ranks' text
plan
