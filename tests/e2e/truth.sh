#!/bin/sh
# Scenarios and their truth: a small training in PyTorch, unmarked, in which one thing is planted. It
# says itself how long that took; the finding has to name it, its rank and its seconds, within 15 %
# and the time that ranks were off their cores: on a busy machine these are told for that.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cat >train.py <<-'END'
	import asyncio
	import contextlib
	import os
	import sys
	import time

	import torch
	import torch.distributed as dist
	from torch.utils.data import DataLoader, Dataset

	STEPS, BATCH, LATE = 60, 4, 0.03
	kept = []


	class Files(Dataset):
	    def __init__(self, wait):
	        self.wait = wait

	    def __len__(self):
	        return STEPS * BATCH

	    def __getitem__(self, i):
	        time.sleep(self.wait)
	        with open(f"data/{i}.bin", "rb") as file:
	            return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8).float() / 255


	def burn(seconds):
	    end = time.monotonic() + seconds
	    while time.monotonic() < end:
	        pass


	class Timed:
	    def __init__(self):
	        self.of = {}

	    @contextlib.contextmanager
	    def __call__(self, name):
	        begin = time.monotonic()
	        yield
	        self.of[name] = self.of.get(name, 0) + time.monotonic() - begin


	def train(what, rank, took):
	    """A training in which `what` is planted; took: for how long."""
	    slow = what == "inputs" or (what == "input" and rank == 1)
	    reads = what.startswith("input") or what == "nothing"
	    loader = iter(DataLoader(Files(0.01 if slow else 0), BATCH, num_workers=1)) if reads else None
	    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4096, 64))
	    pad, k = torch.ones(8_000_000), 0

	    def late(gradient):  # inside the backward pass
	        if rank == 1 and k >= 20:
	            with took(what):
	                time.sleep(LATE)

	    if what == "backward":
	        model.module.bias.register_hook(late)
	    for k in range(STEPS):
	        with took(what if k > 0 and slow else "batches"):
	            batch = next(loader) if reads else torch.ones(BATCH, 4096)
	        if what == "compute" and rank == 1:
	            with took(what):
	                burn(2 * LATE)  # its memory is looked at twice a second
	            kept.append(torch.ones(500_000))
	        if what == "sleep" and rank == 1:
	            with took(what):
	                time.sleep(LATE)
	        if what == "events":
	            with took(what):
	                asyncio.run(asyncio.sleep(LATE))
	        with took("passes"):
	            model(batch).sum().backward()
	        if what == "exchange":
	            with took(what if k + 1 < STEPS else "last"):
	                dist.all_reduce(pad)
	        if what == "save" and rank == 0 and k in (19, 39):
	            with took(what):
	                for _ in range(12):
	                    torch.save({"model": model.state_dict(), "pad": pad}, "model.pt")
	        if what == "save" and rank == 0 and k == 29:  # is none of them
	            burn(0.8)
	        if what == "test" and rank == 0 and k in (19, 39):
	            with took(what):
	                burn(0.8)


	def main(rank, ranks, what):
	    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks))
	    torch.set_num_threads(1)
	    dist.init_process_group("gloo")
	    if rank == 0:
	        os.makedirs("data", exist_ok=True)
	        for i in range(STEPS * BATCH):
	            with open(f"data/{i}.bin", "wb") as file:
	                file.write(bytes(range(64)) * 64)
	    dist.barrier()
	    took = Timed()
	    train(what, rank, took)
	    if rank == (0 if what in ("save", "test") else 1):
	        for name, seconds in took.of.items():
	            print("took", name, seconds, flush=True)
	    dist.destroy_process_group()


	if __name__ == "__main__":
	    what, ranks = sys.argv[1], int(sys.argv[2])
	    if "RANK" in os.environ:
	        main(int(os.environ["RANK"]), ranks, what)
	    else:
	        torch.multiprocessing.spawn(main, (ranks, what), ranks)
END
cat >judge.py <<-'END'
	"""usage: judge.py RUN RULE[|RULE] WORDS PART [NAME]: the finding is there, says WORDS, and has PART of what NAME (RUN)
	took; 0: whatever.

	RULE none: nothing is found but what the machine did."""
	import sqlite3
	import sys

	PLANTED = {"step_compute", "step_wait", "data_loading", "outside_more", "checkpoint", "serial_phase"}
	run, rule, words, part, name = (sys.argv + sys.argv[1:2])[1:6]
	took = sum(float(line.split()[2]) for line in open(f"{run}.txt") if line.startswith(f"took {name} ")) * float(part)
	db = sqlite3.connect(f"{run}/tacho.db")
	off = 0  # of the rank that was off its core longest in its steps
	for process, begin, end in db.execute("""select process_id, min(start_ns), max(end_ns) from step group by process_id"""):
	    at = [value for _, value in db.execute("""select t_ns, value from sample where process_id = ? and name = 'proc.core_waited'
	        and t_ns between ? - 5e8 and ? + 5e8 order by t_ns""", (process, begin, end))]
	    off = max(off, (at[-1] - at[0]) / 1e9 if at else 0)
	rows = db.execute("select rule || coalesce('/' || variant, ''), seconds, message from finding where rule not in ('quality', 'without_core') order by n").fetchall()
	for row in rows:
	    print(*row)
	print(f"planted {took:.2f} s; ranks waited {off:.2f} s for cores")
	# before the first step ranks poll for each other, asleep, until all of them have started
	start = db.execute("""select min(ns) from (select sum(case when c.name glob '*nanosleep' then c.total_ns else 0 end) as ns
	    from process p left join call c on c.process_id = p.id where p.rank is not null group by p.id)""").fetchone()[0] / 1e9
	if rule == "none":  # what communication itself costs may be found
	    sys.exit(any(seconds > off + (start if name == "outside_more/sleep" else 0) and name.split("/")[0] in PLANTED and "in its first" not in message for name, seconds, message in rows))
	if rule == "step_wait/sleep":
	    off += start
	mine = [seconds for name, seconds, message in rows if {name, name.split("/")[0]} & set(rule.split("|")) and words in message]
	# rules about the network ask for ranks that have their cores (analyzer/metrics/noise.def)
	crowded = "transfer" in rule and db.execute("select max(value) >= 0.1 from metric where name = 'without_core' and window = 'run'").fetchone()[0]
	if not mine and (crowded or off > 0.25 * (took or 1)):
	    print("not found on a machine that was busy")
	    sys.exit(0)
	sys.exit(not mine or (took > 0 and abs(sum(mine) - took) > 0.15 * took + off))
END

# As torchrun starts its workers, without a process of its own; of "compute" they are started by torch.multiprocessing.spawn.
cat >launch <<-'END'
	what=$1 ranks=$2 rank=$2
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=$ranks LOCAL_WORLD_SIZE=$ranks
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	[ "$what" != compute ] || exec timeout 400 /usr/bin/python3 train.py "$what" "$ranks"
	while [ $((rank -= 1)) -gt 0 ]; do
		RANK=$rank LOCAL_RANK=$rank timeout 400 /usr/bin/python3 train.py "$what" "$ranks" &
	done
	RANK=0 LOCAL_RANK=0 timeout 400 /usr/bin/python3 train.py "$what" "$ranks" && wait $!
END

# Ranks of what is planted: 4 where they sleep, as these need no cores.
ranks() {
	case $1 in sleep | backward) echo 4 ;; *) echo 2 ;; esac
}

# told WHAT RULE WORDS PART [NAME]: the training's findings are right. A machine that lends its cores to others in a
# way that the kernel does not report makes one run differ, but not three.
told() {
	for try in 1 2 3; do
		rm -rf "$1"
		"$tacho" -q record --no-merge -o "$1" -- sh ./launch "$1" "$(ranks "$1")" >"$1.txt" || return
		"$tacho" -q merge "$1" && "$tacho" -q analyze "$1" || return
		/usr/bin/python3 judge.py "$@" && return
	done
	return 1
}

# planted WHAT RULE WORDS PART TEXT [NAME]
planted() {
	check "$5" told "$1" "$2" "$3" "$4" "${6:-$1}"
}

# besides WHAT RULE WORDS PART TEXT [NAME]: something else that is planted in that training, told of the run at hand or of another
judged() {
	/usr/bin/python3 judge.py "$@" || told "$@"
}
besides() {
	check "$5" judged "$1" "$2" "$3" "$4" "${6:-$1}"
}

# line RUN WHERE: the finding that names the rank, where there is one, names the line of its code, too.
line() {
	same "$(query "select group_concat(message) from finding where rule glob 'step_*' and message glob '*rank 1*'
		and message not glob '*in $2*'" "$1")" ""
}

planted input step_wait "rank 1" 1 "slow samples of one rank name that rank, and what it costs"
check "and the line that its loaders are in" line input "*__getitem__() at train.py:$(sed -n '/time.sleep(self.wait)/=' train.py)"
"$tacho" report -s input >text
check "what parts training has is in the summary, loading among them" grep -q '^a training step  *loading [1-9][0-9]* %.* communication' text
# which of two ranks that are as slow waits for its loader, and how long, is chance
planted inputs step_wait "data-loader workers" 0 "slow samples of all ranks are a stall of loading"
planted compute step_compute "rank 1" 1 "one that computes for longer is named"
check "by its function" line compute "burn() at train.py:"
besides compute memory_growth "rank 1" 0 "and so is one whose memory grows"
planted sleep step_wait/sleep "rank 1" 1 "so is one that sleeps"
check "with its line" line sleep "train() at train.py:$(sed -n '/what == "sleep"/{n;n;=}' train.py)"
planted backward step_wait/sleep "rank 1" 1 "so is one that is slow inside of backward passes, from a step on"
check "with its line" line backward "*late() at train.py:"
# none where the machine was too busy for the finding itself
check "and the step" same "$(query "select count(*) from (select min(first_step) as first from finding where variant = 'sleep' and culprit_rank = 1)
	where first not between 19 and 21" backward)" 0
planted events step_wait/sleep "ranks 0,1 sleep" 1 "an event loop that waits for time only sleeps, and waits for nobody"
planted save checkpoint/rank "rank 0" 1 "what the others wait for checkpoints of one rank is a finding, and no other wait for it"
planted test step_compute "rank 0" 1 "so is what they wait for anything else that it does alone"
planted exchange "ideal_network/transfer|exposed_communication" "" 0 "what communication takes is one"
# A step lasts from the end of a backward pass to that of the next; there is communication within these, too.
exchanged() {
	query "select total(communication_ns) / 1e9 from step s join process p on p.id = s.process_id where p.rank = 1" exchange | awk '
		FNR == NR { found = $1; next } $1 == "took" { took[$2] = $3 }
		END { print took["exchange"], "<=", found, "<=", took["exchange"] + took["passes"]
			exit !(took["exchange"] <= found && found <= took["exchange"] + took["passes"]) }' - exchange.txt
}
check "and its seconds are in the steps" exchanged
planted nothing none "" 1 "where nothing is planted nothing is found"
plan
