"""What torch.distributed is also used for: two models whose gradients end in one backward pass, a hook that
compresses them, parameters that are not used, groups of threads, a call that fails, waits in another order.

usage: torch_mixed.py (rank and world size come from the environment)
"""
import threading

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

STEPS, CALLS, THREADS, OPEN = 10, 20, 3, 50


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Linear(300, 300), nn.Linear(300, 10), nn.Linear(10, 10)

    def forward(self, x, whole):
        y = self.second(torch.relu(self.first(x)))
        return self.third(y) if whole else y


dist.init_process_group("gloo")
try:
    dist.all_gather([torch.zeros(1)], torch.zeros(1))
except Exception:
    pass

model = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True, bucket_cap_mb=0.1)
model.register_comm_hook(None, default_hooks.fp16_compress_hook)
head = nn.parallel.DistributedDataParallel(nn.Linear(10, 10))
for step in range(STEPS):
    head(model(torch.ones(4, 300), step % 2 == 0)).sum().backward()

groups = [dist.new_group(list(range(dist.get_world_size()))) for _ in range(THREADS)]


def reduce(group):
    for _ in range(CALLS):
        dist.all_reduce(torch.ones(100), group=group)


threads = [threading.Thread(target=reduce, args=(group,)) for group in groups]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

for work in reversed([dist.all_reduce(torch.ones(10), async_op=True) for _ in range(OPEN)]):
    work.wait()
    work.wait()
dist.destroy_process_group()
