"""Operations waited for by their future, or that nobody is seen to wait for: by asking, in a join, not at all.

Each rank prints "OPERATION BYTES TIMES" of what it has called in the first three ways.
"""
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


def say(text):
    sys.stdout.write(text + "\n")  # in one piece: of two ranks, prints can mix


dist.init_process_group("gloo")
rank = dist.get_rank()
for _ in range(5):
    time.sleep(0.05 * rank)
    dist.all_reduce(torch.ones(100), async_op=True).get_future().wait()
say("allreduce 400 5")
for _ in range(3):
    work = dist.all_reduce(torch.ones(200), async_op=True)
    while not work.is_completed():
        time.sleep(0.001)
say("allreduce 800 3")
for _ in range(2):
    work = dist.all_reduce(torch.ones(300), async_op=True)
    time.sleep(0.1)
    del work
say("allreduce 1200 2")
dist.barrier()
model = nn.parallel.DistributedDataParallel(nn.Linear(16, 4))
with model.join():
    for _ in range(3 + 2 * rank):  # rank 0 shadows the last two
        model(torch.ones(8, 16)).sum().backward()
dist.barrier()
dist.destroy_process_group()
