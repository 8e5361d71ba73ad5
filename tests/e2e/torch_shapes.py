"""Trainings of other shapes than DDP's usual loop, one after the other, in two ranks over gloo.

usage: torch_shapes.py (rank and world size come from the environment)
Two batches a step (no_sync) with ZeRO's optimizer; shards of parameters that are gathered for each pass, as
FSDP does (its own class wants a GPU, and gloo's groups have no reduce_scatter); two stages of a pipeline; gradients that a
hook sends as halves; parameters that are averaged every second step (local SGD).
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.optim import ZeroRedundancyOptimizer

STEPS, SHARDED, PIPED, HALVED, AVERAGED = 6, 5, 7, 8, 10

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()

model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.01)
for _ in range(STEPS):
    with model.no_sync():
        model(torch.ones(4, 64)).sum().backward()
    model(torch.ones(4, 64)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()

shard = torch.ones(1000, requires_grad=True)
for _ in range(SHARDED):
    whole = torch.empty(2000)
    dist.all_gather(list(whole.chunk(2)), shard.detach())
    whole.requires_grad_()
    (whole * whole).sum().backward()
    dist.all_reduce(whole.grad)

stage = nn.Linear(50, 50)
for _ in range(PIPED):
    if rank == 0:
        out = stage(torch.ones(4, 50))
        dist.send(out.detach(), 1)
        gradient = torch.empty(4, 50)
        dist.recv(gradient, 1)
        out.backward(gradient)
    else:
        into = torch.empty(4, 50)
        dist.recv(into, 0)
        into.requires_grad_()
        stage(into).sum().backward()
        dist.send(into.grad, 0)
halved = nn.parallel.DistributedDataParallel(nn.Linear(30, 20))
halved.register_comm_hook(None, fp16_compress_hook)
for _ in range(HALVED):
    halved(torch.ones(4, 30)).sum().backward()

del halved  # its hook's callbacks are Python's, and PyTorch's threads may be late with them at the end

alone = nn.Linear(30, 30)
average = PeriodicModelAverager(period=2, warmup_steps=0)
optimizer = torch.optim.SGD(alone.parameters(), lr=0.01)
for _ in range(AVERAGED):
    alone(torch.ones(4, 30)).sum().backward()
    optimizer.step()
    average.average_parameters(alone.parameters())
dist.barrier()
dist.destroy_process_group()
