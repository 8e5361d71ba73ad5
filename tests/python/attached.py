# A training that sleeps in a known line, for tests of tacho record --pid: RESULT SECONDS [WORKERS].
# It writes to RESULT what share of its steps it slept.
import sys
import time

try:
    import torch
except ImportError:
    torch = None


class Numbers:
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        return torch.ones(64) * (i % 7)


def planted(seconds):
    time.sleep(seconds)


def step(model, batch):
    if torch is None:
        sum(i * i for i in range(20000))
    else:
        model(batch).sum().backward()


def main(result, seconds, workers):
    model = batches = batch = None
    if torch is not None:
        torch.set_num_threads(1)
        model, batch = torch.nn.Linear(64, 64), torch.ones(32, 64)
        if workers:
            batches = iter(torch.utils.data.DataLoader(Numbers(), batch_size=32, num_workers=workers))
    print("ready", flush=True)
    begin, slept = time.monotonic(), 0.0
    while time.monotonic() - begin < seconds:
        if batches is not None:
            batch = next(batches)
        for _ in range(20):
            step(model, batch)
        at = time.monotonic()
        planted(0.03)
        slept += time.monotonic() - at
    with open(result, "w") as file:
        file.write(f"{slept / (time.monotonic() - begin):.3f}\n")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
