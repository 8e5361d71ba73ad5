#!/usr/bin/python3
"""Prints a port that is free, and that nobody gets who takes whichever is: below those, from the number of the process on."""
import os
import socket

FIRST, COUNT = 10000, 20000

for i in range(COUNT):
    port = FIRST + (os.getpid() + i) % COUNT
    with socket.socket() as tried:
        try:
            tried.bind(("", port))
        except OSError:
            continue
    print(port)
    break
