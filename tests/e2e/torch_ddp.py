"""A small data-parallel training in PyTorch over gloo, whose loaders read a file per sample.

usage: torch_ddp.py DATA WEIGHTS [STEP] (rank and world size come from the environment, as torchrun sets them)
Writes SAMPLES files into DATA first; rank 0 writes the weights as text, bit for bit.
Rank 1 leaves with status 7 before STEP. LOADERS in the environment: one worker, started in this way;
then rank 0 says how long it took from its first epoch's last step until the first batch of the second.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SAMPLES, NBYTES, BATCH, EPOCHS, WORKERS = 96, 4096, 8, 2, 2


class Files(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return SAMPLES

    def __getitem__(self, i):
        with open(os.path.join(self.folder, f"{i}.bin"), "rb") as file:
            values = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
        return values.float() / 255, i % 10


def write_samples(folder):
    os.makedirs(folder, exist_ok=True)
    for i in range(SAMPLES):
        with open(os.path.join(folder, f"{i}.bin"), "wb") as file:
            file.write(bytes((i * 31 + j * 7) % 251 for j in range(NBYTES)))


def main():
    folder, weights, *last = sys.argv[1:]
    left = int(last[0]) if last and os.environ["RANK"] == "1" else -1
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        write_samples(folder)
    dist.barrier()
    data = Files(folder)
    model = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(NBYTES, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    how = os.environ.get("LOADERS")
    loader = DataLoader(data, BATCH, sampler=DistributedSampler(data), num_workers=1 if how else WORKERS,
                        multiprocessing_context=how)
    begin = time.monotonic()
    for epoch in range(EPOCHS):
        for k, (samples, labels) in enumerate(loader):
            if how and epoch == 1 and k == 0:
                print(f"first batch after {time.monotonic() - begin}\n", end="", flush=True)
            if left == 0:
                os._exit(7)
            left -= 1
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(samples), labels).backward()
            optimizer.step()
            begin = time.monotonic()
    if dist.get_rank() == 0:
        with open(weights, "w") as file:
            for parameter in model.parameters():
                file.writelines(f"{value.hex()}\n" for value in parameter.detach().flatten().tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    try:
        main()
    except RuntimeError:  # the other rank has left; what gloo and the loader still have open does not matter
        os._exit(1)
