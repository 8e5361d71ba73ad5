"""usage: all_reduce.py N [NUMBERS]: so many all-reduces of 25,000 numbers, or so many, one after the other."""
import sys

import torch
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo")
numbers = torch.ones(int(sys.argv[2]) if len(sys.argv) > 2 else 25000)
for _ in range(int(sys.argv[1])):
    dist.all_reduce(numbers)
dist.barrier()
dist.destroy_process_group()
