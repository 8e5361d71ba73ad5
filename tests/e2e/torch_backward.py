"""Trainings without DistributedDataParallel, which note on the clock when each step can only have ended.

usage: torch_backward.py plain|named|renamed|slow|passes|gan|sharded STAMPS
Of each step a line: time before and after the call that ends it. "plain" has no optimizer. "renamed": what PyTorch 1.13
says of optimizers and loaders is said as PyTorch 2 does. "slow": of many steps, which read, one is slow; "passes": without an optimizer. Ends with the sum of the weights, to the last bit.
"""
import os
import sys
import threading
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.checkpoint import checkpoint

how, stamps = sys.argv[1:]
torch.set_num_threads(1)
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs = torch.randn(32, 64)
ends = open(stamps + os.environ.get("RANK", ""), "w")


def stamped(call):
    before = time.monotonic_ns()
    call()
    print(before, time.monotonic_ns(), file=ends)


def validate():
    with torch.no_grad():
        for _ in range(5):
            model(inputs)


def raising():
    loss = model(inputs).square().mean()
    loss.backward()
    try:
        loss.backward()
        print("no exception")
    except RuntimeError:
        pass


class Scope(torch.autograd.profiler.record_function):
    def __enter__(self):
        self.record = torch.ops.profiler._record_function_enter_new(self.name, self.args)
        return self

    def __exit__(self, *_):
        torch.ops.profiler._record_function_exit._RecordFunction(self.record)


def plain():
    for step in range(30):
        hidden = checkpoint(model[:2], inputs.detach().requires_grad_(), use_reentrant=True) if step >= 10 else model[:2](inputs)
        loss = model[2](hidden).square().mean()
        stamped(loss.backward)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.01 * parameter.grad
                parameter.grad = None
        if step % 10 == 9:
            validate()
    other = threading.Thread(target=lambda: nn.Linear(4, 4)(torch.ones(4)).sum().backward())
    other.start()
    other.join()


def renamed():
    torch.autograd.profiler.record_function = Scope
    named()


def gan():
    judge = nn.Linear(10, 1)
    of_judge = torch.optim.Adam(judge.parameters())
    judge.register_forward_pre_hook(lambda *_: time.sleep(0.01))  # three times a step
    for step in range(10):
        made = model(inputs)
        (judge(made.detach()).mean() - judge(torch.ones(32, 10)).mean()).backward()
        stamped(of_judge.step)
        of_judge.zero_grad()
        (-judge(made).mean()).backward()
        stamped(optimizer.step)
        optimizer.zero_grad()


def named():
    for step, batch in enumerate(torch.utils.data.DataLoader(inputs, batch_size=4)):
        if step == 3:
            raising()
        for _ in range(1 + step % 4):
            model(batch).square().mean().backward()
        stamped(optimizer.step)
        optimizer.zero_grad()


def passes():
    slow(False)


def slow(has_optimizer=True):
    with open(__file__, "rb", buffering=0) as file:
        for step in range(500):
            for _ in range(100):
                os.pread(file.fileno(), 10, 0)
            if step == 100:
                time.sleep(0.5)
            model(inputs).square().mean().backward()
            if has_optimizer:
                optimizer.step()
            optimizer.zero_grad()


def sharded():
    dist.init_process_group("gloo")
    shard = torch.ones(500, requires_grad=True)
    for epoch in range(2):
        for step in range(10):
            whole = torch.empty(1000)
            dist.all_gather(list(whole.chunk(2)), shard.detach())
            whole.requires_grad_()
            loss = (whole * whole).mean()
            stamped(loss.backward)
            dist.all_reduce(whole.grad)
        for step in range(12):
            dist.all_gather(list(torch.empty(1000).chunk(2)), shard.detach())
    dist.destroy_process_group()


globals()[how]()
print(sum(float(p.double().sum()) for p in model.parameters()).hex())
