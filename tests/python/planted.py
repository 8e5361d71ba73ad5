"""Spends known times in known lines, and writes what it measured: "LINE SECONDS" a line, into argv[1]."""
import asyncio
import atexit
import hashlib
import os
import subprocess
import sys
import threading
import time

LONG = 0.3
truth = open(sys.argv[1], "a", buffering=1)


class planted:
    """Measures the line that it is used in, or `line`."""

    def __init__(self, line=None):
        self.line = line or sys._getframe(1).f_lineno + 1

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *_):
        truth.write("%d %.6f\n" % (self.line, time.perf_counter() - self.start))


def busy(start):
    return time.perf_counter() - start < LONG


def sleeps():
    with planted():
        time.sleep(LONG)


def burns():
    start = time.perf_counter()
    with planted():
        while time.perf_counter() - start < LONG: pass


def calls():
    """Small functions called all the time: their line and the caller's, which are one here."""
    start = time.perf_counter()
    with planted():
        while (lambda n: n)(time.perf_counter()) - start < LONG: pass


def in_c():
    data = bytes(1 << 20)
    start = time.perf_counter()
    with planted():
        while busy(start): hashlib.sha256(data * 8)


def generates():
    for _ in range(3):
        time.sleep(LONG / 3)
        yield


def generator():
    with planted(generates.__code__.co_firstlineno + 2):
        for _ in generates():
            pass


def thread():
    worker = threading.Thread(target=sleeps)
    worker.start()
    with planted():
        worker.join()


async def coroutine():
    await asyncio.sleep(0)
    with planted():
        time.sleep(LONG)
    await asyncio.sleep(0)


def child():
    """What is forked, and what that executes."""
    pid = os.fork()
    if pid == 0:
        for _ in range(100):  # what makes a process worth a thread of tacho's
            open(os.devnull).close()
        with planted():
            time.sleep(LONG)
        os._exit(0)
    with planted():
        os.waitpid(pid, 0)


def program():
    with planted():
        subprocess.call([sys.executable, __file__, sys.argv[1], "alone"])


def at_end():
    with planted():
        time.sleep(LONG)


if len(sys.argv) > 2:
    sleeps()
    sys.exit()
atexit.register(at_end)
sleeps()
burns()
calls()
in_c()
generator()
thread()
asyncio.run(coroutine())
child()
program()
