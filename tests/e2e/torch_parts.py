"""A training whose parts sleep for a known time; it notes how long each took by its own clock.

usage: torch_parts.py NAME [TRACE] (rank and world size come from the environment, as torchrun sets them)
Writes NAME.RANK: of each part a line: its name, ns that it slept at least within the steps, ns around its calls.
TRACE: also records it by torch.profiler, into TRACE.RANK.json.
"""
import contextlib
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS = 8
SLEEPS = {"loading": 0.004, "forward": 0.006, "backward": 0.03, "optimizer": 0.005, "checkpoint": 0.02, "other": 0.007}
around = dict.fromkeys(SLEEPS, 0)


class Numbers(Dataset):
    def __len__(self):
        return 2 * STEPS

    def __getitem__(self, i):
        time.sleep(SLEEPS["loading"] / 2)
        return torch.full((16,), float(i))


class Sleeping(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        time.sleep(SLEEPS["forward"])
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        time.sleep(SLEEPS["backward"])
        return gradient


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 4)

    def forward(self, x):
        return Sleeping.apply(self.linear(x))


class Saved:
    def __reduce__(self):
        time.sleep(SLEEPS["checkpoint"])
        return Saved, ()


def timed(part, call, *arguments):
    begin = time.monotonic_ns()
    result = call(*arguments)
    around[part] += time.monotonic_ns() - begin
    return result


class Optimizer(torch.optim.SGD):
    def step(self):
        time.sleep(SLEEPS["optimizer"])
        super().step()


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(Model())
    optimizer = Optimizer(model.parameters(), 0.01)
    batches = iter(DataLoader(Numbers(), 2))
    trace = len(sys.argv) > 2 and torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    with trace or contextlib.nullcontext():
        with torch.profiler.record_function("first"):  # the profiler needs 0.7 ms before its first scope
            pass
        for k in range(STEPS):
            loss = timed("forward", model, timed("loading", next, batches)).sum()
            with torch.profiler.record_function("backward pass"):
                timed("backward", loss.backward)
            timed("optimizer", optimizer.step)
            optimizer.zero_grad()
            timed("other", time.sleep, SLEEPS["other"])
            if k == 3 and dist.get_rank() == 0:
                timed("checkpoint", torch.save, {"saved": Saved(), "weights": model.state_dict()}, "saved.pt")
    dist.destroy_process_group()
    if trace:
        trace.export_chrome_trace(f"{sys.argv[2]}.{os.environ['RANK']}.json")
    # a step lasts from the end of a backward pass to that of the next; the first, from the forward pass on
    within = {"loading": STEPS - 1, "forward": STEPS, "backward": STEPS, "optimizer": STEPS - 1, "other": STEPS - 1,
              "checkpoint": int(os.environ["RANK"] == "0")}
    with open(f"{sys.argv[1]}.{os.environ['RANK']}", "w") as file:
        for part, seconds in SLEEPS.items():
            print(part, int(within[part] * seconds * 1e9), around[part], file=file)


main()
