"""The same training with its loop in a class of its own, as Lightning and Accelerate have it: no
marker here either, as DistributedDataParallel tells the steps.

    tacho record -o run -- torchrun --nproc_per_node 2 loop.py
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from digits import Digits, make
from train import barrier, network, options, setup


class DigitModule(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.network = network(width)

    def forward(self, batch):
        pictures, labels = batch
        return nn.functional.cross_entropy(self.network(pictures), labels)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.05, momentum=0.9)


class Trainer:
    """Knows nothing of digits; `accumulate` batches make a step."""

    def __init__(self, epochs, accumulate=1):
        self.epochs, self.accumulate = epochs, accumulate

    def fit(self, module, loader, device):
        model = DistributedDataParallel(module.to(device), device_ids=[device] if device.type == "cuda" else None)
        optimizer = module.configure_optimizers()
        for epoch in range(self.epochs):
            loader.sampler.set_epoch(epoch)
            for number, batch in enumerate(loader):
                self.advance(model, optimizer, [part.to(device) for part in batch], number)

    def advance(self, model, optimizer, batch, number):
        if (number + 1) % self.accumulate:
            with model.no_sync():
                model(batch).backward()
            return
        model(batch).backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    args = options()
    rank, _, device = setup()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if rank == 0:
        make(args.data, args.samples)
    barrier(device)
    data = Digits(args.data, args.samples)
    loader = DataLoader(data, args.batch, sampler=DistributedSampler(data, seed=1), num_workers=args.workers)
    Trainer(args.epochs, accumulate=2).fit(DigitModule(args.width), loader, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
