"""Collectives and messages of torch.distributed over gloo, in all groups that three ranks have.

usage: torch_ops.py (rank and world size come from the environment)
tests/e2e/torch.sh knows what each of them moves.
"""
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
dist.all_reduce(torch.tensor(1.0))  # first: sizes lie where tensors with more elements show it
rank, size = dist.get_rank(), dist.get_world_size()
pair = dist.new_group([0, 1])
others = dist.new_group(list(range(1, size)))


def t(n, dtype=torch.float32):
    return torch.ones(n, dtype=dtype)


dist.all_reduce(t(1000))
dist.all_reduce(t(500, torch.float64))
dist.all_reduce(torch.ones(7, 3, 2, dtype=torch.float16))
dist.broadcast(t(100), 1)
dist.reduce(t(64), 2)
parts = [t(10) for _ in range(size)]
dist.all_gather(parts, t(10))
dist.gather(t(20), [t(20) for _ in range(size)] if rank == 1 else None, dst=1)
dist.scatter(t(30), [t(30) for _ in range(size)] if rank == 0 else None, src=0)
dist.barrier()
if rank < 2:
    dist.all_reduce(t(11), group=pair)
if rank > 0:
    dist.all_reduce(t(12), group=others)
    dist.barrier(group=others)
work = dist.all_reduce(t(2000), async_op=True)
time.sleep(0.05 if rank == 1 else 0)
work.wait()
if rank == 0:
    dist.send(t(77), 1)
    dist.isend(t(78), 2, tag=5).wait()
elif rank == 1:
    dist.recv(t(77), 0)
    assert dist.recv(t(79), tag=3) == 2
else:
    dist.irecv(t(78), 0, tag=5).wait()
    dist.send(t(79), 1, tag=3)
objects = [None] * size
dist.all_gather_object(objects, {"rank": rank})
dist.destroy_process_group()
