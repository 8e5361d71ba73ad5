"""Trainings whose processes have different parts, of 30 steps.

usage: torch_roles.py actors|server|pipeline|rpc (all but actors: rank and world size come from the environment)
actors: two processes make samples and queue them, and a learner has the backward passes; without process groups. server: rank 0
holds the parameters, for which the others compute gradients, and step by an optimizer. pipeline: rank 0 prepares batches for the
backward passes of rank 1. rpc: rank 0 has its samples computed by rank 1.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

STEPS = 30


def act(queue):
    torch.set_num_threads(1)
    model = torch.nn.Linear(64, 8)
    for _ in range(STEPS):
        with torch.no_grad():
            time.sleep(0.02)
            queue.put(model(torch.ones(4, 64)).numpy())


def learn(batches):
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for batch in batches:
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def actors():
    context = mp.get_context("spawn")
    queue = context.Queue(2)
    started = [context.Process(target=act, args=(queue,)) for _ in range(2)]
    for one in started:
        one.start()
    learn(torch.cat([torch.from_numpy(queue.get()) for _ in started]) for _ in range(STEPS))
    for one in started:
        one.join()


def server():
    dist.init_process_group("gloo")
    weights = torch.ones(1000)
    gradient = torch.zeros(1000)
    others = range(1, dist.get_world_size())
    if dist.get_rank():
        own = weights.requires_grad_()
        optimizer = torch.optim.SGD([own], 0.01)
    for _ in range(STEPS):
        if dist.get_rank() == 0:
            for other in others:
                dist.recv(gradient, other)
            time.sleep(0.02)
            for other in others:
                dist.send(weights, other)
        else:
            (own * own).sum().backward()
            dist.send(own.grad, 0)
            dist.recv(own.detach(), 0)
            optimizer.step()
    dist.destroy_process_group()


def pipeline():
    dist.init_process_group("gloo")
    batch, stage = torch.zeros(4, 64), torch.nn.Linear(64, 8)
    for _ in range(STEPS):
        if dist.get_rank() == 0:
            time.sleep(0.02)
            dist.send(batch.normal_(), 1)
        else:
            dist.recv(batch, 0)
            stage(batch).sum().backward()
    dist.barrier()
    dist.destroy_process_group()


def compute(x):
    time.sleep(0.02)
    return x * 2


def rpc():
    import torch.distributed.rpc as calls

    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    calls.init_rpc(f"worker{rank}", rank=rank, world_size=ranks)
    if rank == 0:
        learn(calls.rpc_sync("worker1", compute, args=(torch.ones(4, 8),)) for _ in range(STEPS))
    calls.shutdown()


if __name__ == "__main__":
    torch.set_num_threads(1)
    globals()[sys.argv[1]]()
