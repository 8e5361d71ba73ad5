#!/bin/sh
# What one rank of a PyTorch training does while the others wait, and no marker tells: it writes
# checkpoints, or tests the model.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cat >train.py <<-'END'
	import json
	import os
	import sys
	import time

	import torch
	import torch.distributed as dist

	what = sys.argv[1]
	torch.set_num_threads(1)
	dist.init_process_group("gloo")
	rank = dist.get_rank()
	model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
	pad = torch.ones(8_000_000)
	took = 0
	for k in range(60):
	    model(torch.ones(8, 64)).sum().backward()
	    begin = time.monotonic()
	    if what != "nothing" and rank == 0 and k in (19, 39):
	        if what == "save":
	            for _ in range(4):
	                torch.save({"model": model.state_dict(), "pad": pad}, "model.pt")
	        if what == "test":
	            while time.monotonic() < begin + 0.8:
	                pass
	    took += time.monotonic() - begin
	if rank == 0:
	    print("took", took, flush=True)
	dist.destroy_process_group()
END
run() {
	check "a training in which rank 0 does $1 is recorded" sh -c 'out=$1; shift; "$@" >"$out"' - "$1.txt" "$tacho" -q record -o "$1" -- \
		"$top_srcdir/examples/pytorch/torchrun" --nproc_per_node 2 --master_port "$(/usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')" train.py "$1"
}

# found RULE RUN: its seconds, as much as rank 0 took by PART, within 15 % or what ranks were off their cores
found() {
	/usr/bin/python3 - "$@" <<-'END'
	import sqlite3
	import sys

	rule, run, part = sys.argv[1:]
	took = float(open(f"{run}.txt").read().split("took ")[1].split()[0])
	db = sqlite3.connect(f"{run}/tacho.db")
	row = db.execute("select seconds, message from finding where rule = ?", (rule,)).fetchone()
	off = db.execute("""select total(max) from (select max(value) - min(value) as max from sample s join process p on p.id = s.process_id
	    where s.name = 'proc.core_waited' and p.rank is not null group by p.id)""").fetchone()[0] / 1e9
	if row is None and off > 0.2 * took:
	    print(f"not found, but ranks waited {off:.2f} s for cores")
	    sys.exit(0)
	right = row is not None and "rank 0" in row[1] and abs(row[0] - float(part) * took) <= 0.15 * took + off
	print(row, "of", took, "ranks waited for cores", off)
	sys.exit(not right)
	END
}

run save
check "what they wait for its checkpoints is a finding" found rank_checkpoints save 1
run test
check "so is what they wait for anything else that it does alone" found rank_alone test 0.5
run nothing
check "where it does nothing of the kind there is neither, but for what ranks lacked cores" same "$(query "select (select total(seconds)
	from finding where rule glob 'rank_*') <= (select total(s) from (select (max(value) - min(value)) / 1e9 as s from sample s
	join process p on p.id = s.process_id where s.name = 'proc.core_waited' and p.rank is not null group by p.id))" nothing)" 1
plan
