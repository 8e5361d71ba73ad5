#!/bin/sh
# examples/pytorch as its README says: by torchrun, by mpirun, and with the loop in a class.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
example=$top_srcdir/examples/pytorch
export PYTHONDONTWRITEBYTECODE=1

free_port() {
	/usr/bin/python3 "$FREE_PORT"
}
MASTER_PORT=$(free_port)
export MASTER_PORT

check "the example runs by torchrun under tacho, in one line" sh -c '"$@" >said 2>&1' - "$tacho" record -o run -- "$example/torchrun" \
	--nproc_per_node 2 --master_port "$(free_port)" "$example/train.py" --samples 160 --batch 20 --epochs 2 --save model.pt
check "with two ranks, that train four batches in each epoch" same "$(query "select group_concat(rank || ' ' || n) from (select p.rank,
	count(*) as n from process p join step s on s.process_id = p.id where s.cut = 0 group by p.rank)")" "0 8,1 8"
check "and each picture is read once in an epoch, by workers" same "$(query "select count(*) || ' ' || sum(reads > 0) || ' ' || sum(bytes_read)
	from io_file f join process p on p.id = f.process_id where path glob '*.digit' and rank is null")" "320 320 $((2 * 160 * 785))"
check "the summary begins with a verdict" grep -q '^verdict  *In training steps an average rank computed for [0-9.]* of [0-9.]* s' said
check "why, and what to do next" same "$(sed -n '/^verdict/,/^$/s/^\(verdict\|why\|next\) .*/\1/p' said | tr '\n' ' ')" "verdict why next "
check "so does the page" grep -q '<p class="verdict' run/report.html
check "the model is written by rank 0" same "$(query "select group_concat(distinct p.rank) from io_file f join process p on p.id = f.process_id
	where path glob '*model.pt' and bytes_written > 10000")" 0

# There is no GPU here: what ranks would take is what they say.
check "ranks have a GPU each, or none has" same "$(PYTHONPATH=$example /usr/bin/python3 -c '
import os, torch, train
for gpus in 0, 1, 2:
    torch.cuda.device_count = lambda: gpus
    print(*[train.device_of(local, 2) for local in (0, 1)])
os.environ["SLURM_GPUS_PER_TASK"], gpus = "1", 1
print(*[train.device_of(local, 2) for local in (0, 1)])')" "cpu cpu
cpu cpu
cuda:0 cuda:1
cuda:0 cuda:0"
check "Slurm says how many ranks a node has, of two with four GPUs each, too" same "$(env -u MASTER_PORT PYTHONPATH="$example" SLURM_PROCID=5 \
	SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_STEP_TASKS_PER_NODE='4(x2)' /usr/bin/python3 -c '
import torch, train
torch.cuda.device_count, torch.cuda.set_device = lambda: 4, lambda device: print("set", device)
train.dist.init_process_group, train.dist.get_rank, train.dist.get_world_size = print, lambda: 5, lambda: 8
print(train.setup()[2])')" "set cuda:1
nccl
cuda:1"

check "mpirun starts it as well" "$tacho" -q record -o mpi -- mpirun -n 2 /usr/bin/python3 "$example/train.py" --samples 80 --batch 20 --epochs 1
check "with the same ranks and steps" same "$(query "select group_concat(rank || ' ' || n) from (select p.rank,
	count(*) as n from process p join step s on s.process_id = p.id where s.cut = 0 group by p.rank)" mpi)" "0 2,1 2"

check "the loop in a class needs no marker either" "$tacho" -q record -o loop -- "$example/torchrun" --nproc_per_node 2 \
	--master_port "$(free_port)" "$example/loop.py" --samples 160 --batch 20 --epochs 1
check "two batches are a step of it" same "$(query "select group_concat(rank || ' ' || n) from (select p.rank,
	count(*) as n from process p join step s on s.process_id = p.id where s.cut = 0 group by p.rank)" loop)" "0 2,1 2"
plan
