"""A training of 20 batches whose model, or whole step, torch.compile has; the loader sleeps, and writes how long.

usage: torch_compiled.py model|step (prints the weights)
"""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

BATCHES = 20


class Numbers(Dataset):
    def __len__(self):
        return BATCHES

    def __getitem__(self, i):
        time.sleep(0.005)
        return torch.full((16,), float(i))


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    compiled = torch.compile(model, backend="eager") if sys.argv[1] == "model" else model

    def step(batch):
        compiled(batch).sum().backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

    if sys.argv[1] == "step":
        step = torch.compile(step, backend="eager")
    for batch in DataLoader(Numbers(), 1):
        step(batch)
    print([value.hex() for parameter in model.parameters() for value in parameter.detach().flatten().tolist()])


main()
