"""A data-parallel training in PyTorch as people write it: nothing in it is for tacho.

    tacho record -o run -- torchrun --nproc_per_node 2 train.py

Ranks come from torchrun, mpirun (Open MPI, MPICH) or srun; gradients go over gloo, or over NCCL
where there is a GPU for each rank. --slow-input RANK has this rank's files come slowly.
"""
import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from digits import Digits, make


def options():
    parser = argparse.ArgumentParser(description="a data-parallel training in PyTorch")
    parser.add_argument("--data", default="digits", help="folder of the data set, made where it is missing")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=25, help="samples of a rank in a step")
    parser.add_argument("--width", type=int, default=16, help="channels of the first layer")
    parser.add_argument("--workers", type=int, default=1, help="data-loader workers of a rank")
    parser.add_argument("--start", choices=("fork", "spawn", "forkserver"), default="fork", help="of the workers")
    parser.add_argument("--save", metavar="FILE", help="rank 0 writes the model after each epoch")
    parser.add_argument("--slow-input", type=int, metavar="RANK", help="each sample of this rank takes 4 ms more")
    return parser.parse_args()


def device_of(local, ranks):
    """The device of a rank, one of `ranks` on its node: all of these have a GPU of their own, or none."""
    gpus = torch.cuda.device_count()
    if gpus and "SLURM_GPUS_PER_TASK" in os.environ:  # each sees its own alone
        return torch.device("cuda", 0)
    return torch.device("cuda", local) if gpus >= ranks else torch.device("cpu")


def setup():
    """Joins the other ranks, whoever started them. Rank, number of ranks, device."""
    for name, others in {
        "RANK": ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"),
        "WORLD_SIZE": ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"),
        "LOCAL_RANK": ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"),
        "LOCAL_WORLD_SIZE": ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE",
                             "SLURM_STEP_TASKS_PER_NODE", "WORLD_SIZE"),
    }.items():
        value = next((os.environ[other] for other in others if other in os.environ), "0")
        value = value.split(",")[0].split("(")[0]  # Slurm: 4(x2)
        os.environ.setdefault(name, value if not name.endswith("SIZE") else max(value, "1", key=int))
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29517")
    device = device_of(int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"]))
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks on {device.type}, {dist.get_backend()}", flush=True)
    return dist.get_rank(), dist.get_world_size(), device


def barrier(device):
    """NCCL's needs a device of this rank, and would guess one."""
    dist.barrier(device_ids=[device.index] if device.type == "cuda" else None)


class SlowDigits(Digits):
    def __getitem__(self, number):
        time.sleep(0.004)
        return super().__getitem__(number)


def network(width):
    return nn.Sequential(
        nn.Conv2d(1, width, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(width, 2 * width, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(2 * width * 16, 128), nn.ReLU(), nn.Linear(128, 10))


def main():
    args = options()
    rank, _, device = setup()
    torch.manual_seed(0)
    if device.type == "cpu":
        torch.set_num_threads(1)
    if rank == 0:
        make(args.data, args.samples)
    barrier(device)
    data = (SlowDigits if args.slow_input == rank else Digits)(args.data, args.samples)
    sampler = DistributedSampler(data, seed=1)
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=args.workers,
                        pin_memory=device.type == "cuda",
                        multiprocessing_context=args.start if args.workers else None)
    model = DistributedDataParallel(network(args.width).to(device),
                                    device_ids=[device] if device.type == "cuda" else None)
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        right, seen = torch.zeros((), dtype=torch.long, device=device), 0
        for pictures, labels in loader:
            pictures, labels = pictures.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            optimizer.zero_grad()
            guess = model(pictures)
            nn.functional.cross_entropy(guess, labels).backward()
            optimizer.step()
            right += (guess.argmax(1) == labels).sum()  # no .item(): each would wait for the GPU
            seen += len(labels)
        if rank == 0:
            print(f"epoch {epoch}: {right.item() / seen:.0%} right", flush=True)
            if args.save:
                torch.save(model.module.state_dict(), args.save)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
