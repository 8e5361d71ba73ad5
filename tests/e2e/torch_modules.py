"""A training in one process whose modules sleep for a known share of the forward pass: 1/4, 1/2 and 1/4."""
import time

import torch
from torch import nn


class Sleep(nn.Module):
    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.weight = seconds, nn.Parameter(torch.ones(8))

    def forward(self, x):
        time.sleep(self.seconds)
        return x * self.weight


class Block(nn.Module):
    def __init__(self, seconds):
        super().__init__()
        self.inner, self.act = Sleep(seconds), nn.ReLU()

    def forward(self, x):
        return self.act(self.inner(x))


class Tail(Sleep):
    pass


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.body = Sleep(0.01), nn.Sequential(Block(0.02))
        self.rest = nn.ModuleList([nn.Identity(), Tail(0.01)])

    def forward(self, x):
        x = self.head(x)
        x = self.body(x)
        return self.rest[1](x)


def main():
    torch.set_num_threads(1)
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    for _ in range(160):
        model(torch.ones(8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


main()
