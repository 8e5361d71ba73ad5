"""A model of modules that compute, called as PyTorch calls them: python modules.py TRUTH writes the seconds by name.

Its classes stand in for those of PyTorch: tests/python_modules.sh copies them to where PyTorch has them.
"""
import sys
import time

from torch.nn.modules.container import ModuleDict, ModuleList, Sequential
from torch.nn.modules.module import Module, OldModule

truth = {}


class Leaf(Module):
    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    def forward(self, name):
        begin = time.perf_counter()
        now = begin
        while now < begin + self.seconds:
            now = time.perf_counter()
        truth[name] = truth.get(name, 0) + now - begin


class Tail(Leaf):
    pass


class Old(OldModule):
    """Called without a wrapper in front, as before PyTorch 2.1."""

    def __init__(self):
        super().__init__()
        self.leaf = Leaf(0.02)

    def forward(self, name):
        self.leaf(name + ".leaf")


class Net(Module):
    def __init__(self):
        super().__init__()
        for i in range(40):  # a large dict
            setattr(self, "value%d" % i, i)
            setattr(self, "unused%d" % i, Module())
        self.first = Leaf(0.02)
        self.layers = ModuleList([Leaf(0.02), Leaf(0.04)])
        self.heads = ModuleDict({"near": ModuleList([Leaf(0.02)])})
        self.stack = Sequential(Tail(0.02))
        self.left, self.right = Leaf(0.04), Leaf(0.02)
        self.old = Old()
        self.hidden = [Leaf(0.02)]

    def forward(self):
        self.first("first")
        for i, layer in enumerate(self.layers):
            layer("layers.%d" % i)
        self.heads["near"][0]("heads.near.0")
        self.stack("stack.0")
        self.left("left")
        self.right("right")
        self.old("old")
        self.hidden[0]("hidden")


def main():
    net = Net()
    for i in range(15):
        if i == 5:  # other objects under these names
            net.left, net.right = net.right, net.left
        net()
    with open(sys.argv[1], "w") as f:
        for name, seconds in truth.items():
            f.write("%s %.6f\n" % (name, seconds))


main()
