"""torch_spawn.py FILE: two ranks by torch.multiprocessing.spawn that meet by a file. Rank 0 saves the model after the last
step, and uploads it, which takes a second."""
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

UPLOAD = 1


def upload():
    time.sleep(UPLOAD)


def work(rank, ranks, meeting):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=ranks)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(20):
        model(torch.ones(4, 64)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    if rank == 0:
        torch.save(model.state_dict(), "saved.pt")
        upload()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(2, sys.argv[1]), nprocs=2)
