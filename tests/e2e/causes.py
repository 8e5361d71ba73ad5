"""causes.py PLANT[,PLANT...] [STEPS]: a training of 40 steps, or more short ones, in which ranks lose time as planted; "none": they do not. Rank 0
prints the seconds of its loop. For tests/e2e/causes.sh and tests/scenarios."""
import fcntl
import os
import queue
import subprocess
import sys
import threading
import time
import urllib.request

import torch
import torch.distributed as dist

planted, STEPS = sys.argv[1].split(","), int(sys.argv[2]) if len(sys.argv) > 2 else 40
SIZE = 2048 if "micro" in planted else 64


def fetch_remote():
    time.sleep(0.06 * 40 / STEPS)


def validate_alone():
    time.sleep(0.8)


def attempt(seconds):
    """A helper that several lines call."""
    time.sleep(seconds)


def retry(seconds):
    attempt(seconds)


def by_turns():
    time.sleep(0.08)


def pause_all():
    time.sleep(0.05)


def stall_once():
    time.sleep(4)


def run_tool():
    subprocess.run(["sleep", "0.05"])


def call_server():
    urllib.request.urlopen(os.environ["SERVER"]).read()


def wait_for_file_lock():
    with open("lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(0.04)


def read_pipe():
    with subprocess.Popen("sleep 0.05; echo done", shell=True, stdout=subprocess.PIPE) as child:
        child.stdout.read()


def store_wait(store, rank, k):
    if rank == 0:
        time.sleep(0.05)
        store.set(f"step {k}", "done")
    else:
        store.wait([f"step {k}"])


def prepare_in_thread(samples):
    for _ in range(STEPS):
        time.sleep(0.06)
        samples.put(0)


def next_sample(samples):
    samples.get()


def crunch(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def multiply():
    a = torch.ones(256, 256)
    for _ in range(40):
        a = torch.tanh(a @ a)


def hold_lock(lock, rank):
    with lock:
        if rank == 1:
            time.sleep(0.06)


def start_late():
    time.sleep(2)


def finish_alone():
    time.sleep(4)


def prepare_answer():
    time.sleep(0.05)


def serve(rank):
    buffer = torch.zeros(4096)
    for k in range(STEPS):
        if rank == 0:
            for _ in range(1, dist.get_world_size()):
                asks = dist.recv(buffer)
                prepare_answer()
                dist.send(buffer, dst=asks)
        else:
            dist.send(buffer, dst=0)
            dist.recv(buffer, src=0)


class Quick(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, i):
        return i


class Slow(Quick):
    def __getitem__(self, i):
        time.sleep(0.1)
        return i


def steps(rank, ranks, step, lock):
    """The loop of a rank."""
    store, samples = dist.distributed_c10d._get_default_store(), queue.Queue()
    loader, kept = None, []
    if "thread" in planted and rank == 1:
        threading.Thread(target=prepare_in_thread, args=(samples,), daemon=True).start()
    if "loaders" in planted or "loader" in planted and rank == 1:
        loader = iter(torch.utils.data.DataLoader(Slow(), num_workers=2, batch_size=1))
    if "quick" in planted:
        loader = iter(torch.utils.data.DataLoader(Quick(), num_workers=2, batch_size=1))
    for k in range(0 if "serve" in planted else STEPS - 5 * rank if "uneven" in planted else STEPS):
        if "fetch" in planted and rank == 1:
            fetch_remote()
        if "validate" in planted and rank == 0 and k % 8 == 7:
            validate_alone()
        if "rare" in planted and rank == 1 and k % 8 == 3:
            validate_alone()
        if "helper" in planted and rank == 1:
            retry(0.06)
        if "helper" in planted and rank == 0 and k % 8 == 7:
            retry(0.8)
        if "turns" in planted and k % ranks == rank:
            by_turns()
        if "all" in planted:
            pause_all()
        if "stall" in planted and rank == 1 and k == 20:
            stall_once()
        if "tool" in planted or "tool1" in planted and rank == 1:
            run_tool()
        if "http" in planted or "http1" in planted and rank == 1:
            call_server()
        if "flock" in planted:
            wait_for_file_lock()
        if "pipe" in planted and rank == 1:
            read_pipe()
        if "store" in planted:
            store_wait(store, rank, k)
        if "thread" in planted and rank == 1:
            next_sample(samples)
        if loader:
            next(loader)
        if "mplock" in planted:
            hold_lock(lock, rank)
        if "crunch" in planted:
            crunch(0.06 if rank == 1 else 0.01)
        if "omp" in planted or "matrices" in planted:
            multiply()
        if "leak" in planted and rank == 1:
            kept.append(b"x" * 8000000)
        step()


def train(lock=None):
    dist.init_process_group("gloo")
    torch.set_num_threads(16 if "omp" in planted else 1)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(SIZE, 512 if "micro" in planted else 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        for _ in range(3 if "micro" in planted else 0):
            model(torch.ones(4, SIZE)).sum().backward()
        model(torch.ones(4, SIZE)).sum().backward()
        optimizer.step()

    dist.barrier()
    if "start" in planted and rank == 1:
        start_late()
    begin = time.monotonic()
    steps(rank, ranks, step, lock)
    if "serve" in planted:
        begin = time.monotonic()
        serve(rank)
    if rank == 0:
        print("loop", time.monotonic() - begin)
    if "after" in planted and rank == 1:
        finish_alone()
    dist.destroy_process_group()


def spawned(rank, ranks, lock):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1")
    train(lock)


if __name__ == "__main__":
    if "RANK" in os.environ:
        train()
    else:  # without torchrun: RANKS processes that share a lock
        import torch.multiprocessing as mp

        n = int(os.environ["RANKS"])
        mp.spawn(spawned, args=(n, mp.get_context("spawn").Lock()), nprocs=n)
