#!/usr/bin/env python3
"""A small training under torch.profiler, on the processor. usage: kineto_torch.py FILE

With RANK, WORLD_SIZE and gloo it is one of a data-parallel job, which needs MASTER_ADDR and MASTER_PORT.
"""
import os
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function


def main(path):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
    if "RANK" in os.environ:
        torch.distributed.init_process_group("gloo")
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(
        torch.randn(40, 32), torch.randint(4, (40,))), batch_size=8)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        for number, (x, y) in enumerate(loader):
            with record_function(f"ProfilerStep#{number}"):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
    profiler.export_chrome_trace(path)


if __name__ == "__main__":
    main(sys.argv[1])
