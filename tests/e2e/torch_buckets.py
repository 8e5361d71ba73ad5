"""A training whose gradients are exchanged in two buckets: the first while the backward pass sleeps, the second at its end.

usage: torch_buckets.py (rank and world size come from the environment, as torchrun sets them)
"""
import os
import signal
import time

import torch
import torch.distributed as dist
from torch import nn

STEPS, SLEEP, INNER, OUTER = 12, 0.08, 600, 500


class Sleeping(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        time.sleep(SLEEP)
        return gradient


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.early = nn.Linear(8, OUTER, bias=False)
        self.late = nn.Linear(OUTER, INNER, bias=False)

    def forward(self, x):
        return self.late(Sleeping.apply(self.early(x)))


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(Model(), bucket_cap_mb=1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for k in range(STEPS):
        context = model.no_sync() if k % 2 and "NO_SYNC" in os.environ else torch.enable_grad()
        dist.barrier()
        with context:
            model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        if k == 6 and "KILL" in os.environ:
            os.kill(os.getpid(), signal.SIGKILL)
    dist.destroy_process_group()


main()
