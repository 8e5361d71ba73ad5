"""A small data set of real files: digits, drawn, shifted and noisy, one file per picture.

usage: python3 digits.py FOLDER [COUNT]
A file is 28 × 28 bytes of brightness and one of the label. They are the same each time.
"""
import os
import random
import sys

import torch
from torch.utils.data import Dataset

SIDE = 28
SHAPES = {  # five columns of seven dots, a bit per dot
    0: "3e5149453e", 1: "00427f4000", 2: "4261514946", 3: "2141454b31", 4: "1814127f10",
    5: "2745454539", 6: "3c4a494930", 7: "0171090503", 8: "3649494936", 9: "064949291e",
}


def draw(number):
    """Picture `number` of the data set, and its label."""
    chance = random.Random(number)
    label, size = number % 10, chance.choice((2, 3))
    left, top = chance.randrange(SIDE - 5 * size), chance.randrange(SIDE - 7 * size)
    dots = bytearray(chance.randrange(60) for _ in range(SIDE * SIDE))
    for x, column in enumerate(bytes.fromhex(SHAPES[label])):
        for y in range(7):
            for i in range(size * size if column >> y & 1 else 0):
                dots[(top + y * size + i // size) * SIDE + left + x * size + i % size] = 255 - chance.randrange(60)
    return bytes(dots), label


def path_of(folder, number):
    return os.path.join(folder, f"{number // 100:03d}", f"{number:05d}.digit")


def make(folder, count):
    """Writes what is missing of the first `count` pictures."""
    for number in range(count):
        path = path_of(folder, number)
        if os.path.exists(path):
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        dots, label = draw(number)
        with open(path + ".part", "wb") as file:
            file.write(dots + bytes([label]))
        os.replace(path + ".part", path)


class Digits(Dataset):
    def __init__(self, folder, count):
        self.folder, self.count = folder, count

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        with open(path_of(self.folder, number), "rb") as file:
            data = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
        return data[:-1].float().view(1, SIDE, SIDE) / 255, int(data[-1])


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
