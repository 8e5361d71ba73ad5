"""torch_train.py - a small training in PyTorch for tests/gpu/run: prints its samples per second.

With --profile FILE, torch.profiler watches all of it and FILE gets the device's activities by name:
what a recording of the same training by tacho must hold, without torch.profiler.
"""
import argparse
import collections
import json
import os
import statistics
import tempfile
import time

import torch

BATCH = 64


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 64, 3, padding=1), torch.nn.BatchNorm2d(64), torch.nn.ReLU(),
        torch.nn.Conv2d(64, 128, 3, padding=1), torch.nn.BatchNorm2d(128), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(128 * 16 * 16, 256),
        torch.nn.ReLU(), torch.nn.Linear(256, 10)).cuda()


def large(steps):
    """1.3 billion parameters in bf16, as many people's language models: seconds of a step."""
    layer = torch.nn.TransformerEncoderLayer(2048, 16, 8192, batch_first=True, activation="gelu")
    model = torch.nn.TransformerEncoder(layer, 24).cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    tokens, seconds = torch.randn(8, 1024, 2048, device="cuda", dtype=torch.bfloat16), []
    for _ in range(steps):
        start = time.monotonic()
        optimizer.zero_grad(set_to_none=True)
        loss = model(tokens).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        loss.item()
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds[steps // 4:])


def product(seconds):
    """Products of 8192 x 8192 matrices for so long: TFLOP/s by CUDA's events."""
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    until, n = time.monotonic() + seconds, 0
    a @ a
    begin.record()
    while time.monotonic() < until:
        for _ in range(50):
            a @ a
        n += 50
        torch.cuda.synchronize()
    end.record()
    end.synchronize()
    return 2e-9 * 8192 ** 3 * n / begin.elapsed_time(end)


def train(steps):
    torch.manual_seed(1)
    model, seconds = network(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    pictures = torch.randn(BATCH, 3, 32, 32).pin_memory()
    labels = torch.randint(10, (BATCH,)).pin_memory()
    for _ in range(steps):
        start = time.monotonic()
        x, y = pictures.cuda(non_blocking=True), labels.cuda(non_blocking=True)
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss.item()
        seconds.append(time.monotonic() - start)
    torch.cuda.synchronize()
    return statistics.median(seconds[steps // 4:])


def profile(steps, path):
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profiler:
        train(steps)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(trace)
        with open(trace, encoding="utf8") as file:
            events = json.load(file)
    if isinstance(events, dict):  # as Kineto writes it; PyTorch without it writes the list alone
        events = events["traceEvents"]
    kernels = collections.Counter(e["name"] for e in events if e.get("cat") == "kernel")
    copies = collections.Counter()
    for event in events:
        if event.get("cat") in ("gpu_memcpy", "gpu_memset"):
            copies[event["cat"]] += 1
            copies[event["cat"] + " bytes"] += event["args"].get("bytes", 0)
    with open(path, "w", encoding="utf8") as file:
        json.dump({"kernels": kernels, "copies": copies}, file)


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=40)
parser.add_argument("--profile")
parser.add_argument("--large", action="store_true")
parser.add_argument("--product", type=float, metavar="SECONDS")
options = parser.parse_args()
if options.product:
    print(f"TFLOP/s {product(options.product):.1f}")
elif options.large:
    print(f"samples/s {8 / large(options.steps):.2f}")
elif options.profile:
    profile(options.steps, options.profile)
else:
    print(f"samples/s {BATCH / train(options.steps):.1f}")
