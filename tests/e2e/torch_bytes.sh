#!/bin/sh
# Gloo's threads make sixty calls for an all-reduce of two ranks: all of them count, with their bytes, and take little room.
. "$top_srcdir/tests/e2e/lib.sh"

PYTHONPATH= /usr/bin/python3 -c 'import torch, torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
	skip_all "PyTorch with gloo is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
unset PYTHONPATH
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	RANK=1 LOCAL_RANK=1 timeout 400 /usr/bin/python3 all_reduce.py "$@" &
	RANK=0 LOCAL_RANK=0 timeout 400 /usr/bin/python3 all_reduce.py "$@" && wait $!
END
cp "$top_srcdir/tests/bench/all_reduce.py" .

# Without what was taken ahead.
spool_bytes() {
	find "$1/spool" -type f -exec /usr/bin/python3 -c '
import sys
print(sum(len(open(path, "rb").read().rstrip(b"\0")) for path in sys.argv[1:]))' {} +
}

check "300 all-reduces are recorded" "$tacho" -q record --keep-spools -o few -- sh ./launch 300 100
check "and 2,300" "$tacho" -q record --keep-spools -o many -- sh ./launch 2300 100
# 1,300 before gloo's threads were summed, 350 after; on a busy machine they wait longer and more often
check "each leaves little in a rank's spools" [ $((($(spool_bytes many) - $(spool_bytes few)) / 4000)) -lt 700 ]
check "each is there" same "$(query "select bytes || ' ' || count(*) from collective where op = 'allreduce' group by bytes" many)" "400 2300"
# A message has a head of 48 bytes, is written by one call, and carries half of the numbers, or none
check "each call counts, and each byte" same "$(query "select count(*), min(bytes_sent - 2300 * 400 = 48 * writes) from socket
	where bytes_sent > 2300 * 400" many)" "2|1"
check "the table of calls has them, too" same "$(query "select count(*) from (select sum(c.calls) as n, c.process_id from call c
	where c.name = 'writev' group by c.process_id) join (select sum(writes) as n, process_id from socket where bytes_sent > 2300 * 400
	group by process_id) using (process_id, n)" many)" 2
check "no check of the analysis fails, and nothing is lost" same "$(query "select (select count(*) from checks where not ok)
	+ (select total(count) from loss)" many)" 0.0

# Where the library searches the stack of a thread for gloo's functions, the stack may end before what it expects.
${CC:-cc} -w -O1 -shared -fPIC -o fiber.so "$top_srcdir/tests/e2e/torch_fiber.c" -lpthread || exit 99
cat >fiber.py <<-'END'
	import ctypes
	import os

	import torch.distributed as dist

	dist.init_process_group("gloo")
	written = ctypes.CDLL("./fiber.so").fiber_write(os.open("written", os.O_WRONLY | os.O_CREAT, 0o600))
	print("fiber", written, flush=True)
	dist.destroy_process_group()
END
on_fiber() {
	MASTER_ADDR=127.0.0.1 MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT") RANK=0 WORLD_SIZE=1 "$tacho" -q record -o fiber -- /usr/bin/python3 fiber.py >said 2>&1 &&
		same "$(cat said)" "fiber 0"
}
check "a thread whose first call is on a coroutine's stack" on_fiber
plan
