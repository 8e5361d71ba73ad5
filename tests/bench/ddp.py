"""usage: ddp.py STEPS [PROFILE]: says of rank 0 "wall cpu own", s of all steps; own: the library's thread."""
import glob
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

torch.set_num_threads(1)
dist.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
batch = torch.ones(64, 512)


def own():
    total = 0
    for path in glob.glob("/proc/self/task/*"):
        if open(path + "/comm").read() == "tacho\n":
            total += int(open(path + "/schedstat").read().split()[0])
    return total / 1e9


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


train(20)
dist.barrier()
begin = time.monotonic(), time.process_time(), own()
if len(sys.argv) > 2:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        train(int(sys.argv[1]))
    took = time.monotonic() - begin[0]
    profile.export_chrome_trace(f"{sys.argv[2]}{dist.get_rank()}.json")
    totals = {event.key: event for event in profile.key_averages()}
    with open(sys.argv[2] + str(dist.get_rank()), "w") as file:
        for key in ("gloo:all_reduce", "DistributedDataParallel.forward", "Optimizer.step#SGD.step"):
            if key in totals:
                print(key, totals[key].count, totals[key].cpu_time_total / 1e3, file=file)
else:
    train(int(sys.argv[1]))
    took = time.monotonic() - begin[0]
if dist.get_rank() == 0:
    print(took, time.process_time() - begin[1], own() - begin[2], flush=True)
dist.barrier()
dist.destroy_process_group()
