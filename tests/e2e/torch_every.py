"""Every operation that gloo has in this release of PyTorch, of different sizes, in the world and in pairs of neighbours.

usage: torch_every.py (rank and world size come from the environment)
Each rank writes RANK.truth: a line "members op bytes" for each collective that it is the first member of, with the bytes of the whole
buffer (tacho-db(5), table collective); a line "0 send bytes" or "0 recv bytes" for each message.
"""
import os

import torch
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
pairs = [dist.new_group([first, first + 1]) for first in range(0, size, 2)]
pair, peer = pairs[rank // 2], rank ^ 1
is_new = torch.__version__ >= "2"
has_shards = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 14)  # fully_shard on CPUs, which 2.6 has not
lines = []


def t(n, dtype=torch.float32):
    return torch.ones(n, dtype=dtype)


def done(members, op, nbytes):
    if not members or rank % members == 0:
        lines.append(f"{members} {op} {nbytes}\n")


def operations(group, ranks, n):
    """All of them in a group, by tensors of about n numbers."""
    members, first = len(ranks), ranks[0]
    for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8):
        dist.all_reduce(t(n, dtype), group=group)
        done(members, "allreduce", n * t(1, dtype).element_size())
    dist.all_reduce_coalesced([t(n + 1), t(n + 2)], group=group)
    done(members, "allreduce", 4 * (2 * n + 3))
    dist.broadcast(t(n + 3), ranks[-1], group=group)
    done(members, "broadcast", 4 * (n + 3))
    dist.reduce(t(n + 4), ranks[-1], group=group)
    done(members, "reduce", 4 * (n + 4))
    dist.all_gather([t(n + 5) for _ in ranks], t(n + 5), group=group)
    done(members, "allgather", 4 * (n + 5) * members)
    dist.gather(t(n + 6), [t(n + 6) for _ in ranks] if rank == first else None, dst=first, group=group)
    done(members, "gather", 4 * (n + 6) * members)
    dist.scatter(t(n + 7), [t(n + 7) for _ in ranks] if rank == first else None, src=first, group=group)
    done(members, "scatter", 4 * (n + 7) * members)
    dist.all_to_all_single(t(members * (n + 8)), t(members * (n + 8)), group=group)
    done(members, "alltoall", 4 * members * (n + 8))
    dist.barrier(group=group)
    done(members, "barrier", 0)
    if is_new:
        dist.all_gather_into_tensor(t(members * (n + 9)), t(n + 9), group=group)
        done(members, "allgather", 4 * members * (n + 9))
        dist.reduce_scatter_tensor(t(n + 10), t(members * (n + 10)), group=group)
        done(members, "allreduce", 4 * members * (n + 10))  # gloo makes it of all-reduces


def messages():
    numbers = 50 + rank
    if rank < peer:
        dist.send(t(numbers), peer)
        dist.recv(t(2 * numbers), peer)
        done(0, "send", 4 * numbers)
        done(0, "recv", 8 * numbers)
    else:
        dist.recv(t(numbers - 1))
        dist.send(t(2 * (numbers - 1)), peer)
        done(0, "recv", 4 * (numbers - 1))
        done(0, "send", 8 * (numbers - 1))
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, t(7), (rank + 1) % size), dist.P2POp(dist.irecv, t(7), (rank - 1) % size)]):
        work.wait()
    done(0, "send", 28)
    done(0, "recv", 28)


def newer():
    """What 2.x makes of these: functional collectives, groups of a mesh, distributed tensors."""
    import torch.distributed._functional_collectives as functional
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard

    mesh = init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("outer", "inner"))
    world, inner = init_device_mesh("cpu", (size,)), mesh["inner"]
    functional.all_reduce(t(123), "sum", world).sum()
    done(world.size(), "allreduce", 4 * 123)
    functional.all_reduce(t(321), "sum", inner).sum()
    done(2, "allreduce", 4 * 321)
    functional.reduce_scatter_tensor(t(size * 31), "sum", 0, world).sum()
    done(size, "allreduce", 4 * size * 31)
    tensor = DTensor.from_local(torch.ones(3, 5), world, [Shard(0)], run_check=False)
    assert tensor.redistribute(world, [Replicate()]).to_local().shape == (3 * size, 5)
    done(size, "allgather", 4 * size * 15)
    if has_shards:
        sharded(world)


def sharded(world):
    """FullyShardedDataParallel's second version: a layer in a model, each of which gathers its own parameters."""
    from torch.distributed.fsdp import fully_shard

    model = torch.nn.Sequential(torch.nn.Linear(24, 16, bias=False), torch.nn.Linear(16, 12, bias=False))
    fully_shard(model[0], mesh=world)
    fully_shard(model, mesh=world)
    model(t(24)).sum().backward()
    for numbers in (24 * 16, 24 * 16, 16 * 12):  # the layer again for the backward pass
        done(size, "allgather", 4 * numbers)
    for numbers in (24 * 16, 16 * 12):
        done(size, "allreduce", 4 * numbers)


operations(None, list(range(size)), 1000)
operations(pair, sorted((rank, peer)), 3000 + 500 * (rank // 2))
messages()
if has_shards or is_new and os.environ.get("TORCH_DISTRIBUTED_DEBUG") != "DETAIL":  # ProcessGroupWrapper of 2.6 lacks their calls
    newer()
dist.barrier()
done(size, "barrier", 0)
with open(f"{rank}.truth", "w") as file:
    file.writelines(lines)
dist.destroy_process_group()
