"""frameworks.py - short trainings as users of one GPU write them, for tests/gpu/run; nothing in them is for tacho.

    frameworks.py MODE    (under torchrun for ddp, fsdp, fsdp2 and late)

Says at its end what it knows of its own work: `steps N`, `samples N`, `reduces N bytes M` a rank.
"""
import os
import sys
import tempfile

STEPS, BATCH = 30, 32


def own_host():
    """NCCL refuses two ranks on one GPU of one host: each says that it is another host."""
    os.environ.update(NCCL_HOSTID="rank" + os.environ["RANK"], NCCL_MULTI_RANK_GPU_ENABLE="1",
                      NCCL_P2P_DISABLE="1", NCCL_SHM_DISABLE="1", NCCL_SOCKET_IFNAME="lo")


def network(torch, width=1024, depth=6):
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 10))


def group(torch):
    """Device and rank, in the group of all ranks."""
    own_host()
    gpu = torch.cuda.is_available()
    torch.distributed.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", 0) if gpu else torch.device("cpu")


class Pictures:
    """Samples that are read from a file each time, as loaders' workers do."""

    def __init__(self, torch, length):
        self.torch, self.length = torch, length
        self.path = os.path.join(tempfile.gettempdir(), f"frameworks.{os.getpid()}")
        with open(self.path, "wb") as file:
            file.write(os.urandom(4096 * length))

    def __len__(self):
        return self.length

    def __getitem__(self, number):
        with open(self.path, "rb") as file:
            file.seek(4096 * number)
            raw = bytearray(file.read(4096))
        return self.torch.frombuffer(raw, dtype=self.torch.uint8)[:1024].float() / 255, number % 10


def steps_of(torch, model, device, loader, optimizer):
    """One pass; each step as people write it."""
    done = 0
    for pictures, labels in loader:
        pictures, labels = pictures.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(pictures), labels)
        loss.backward()
        optimizer.step()
        loss.item()
        done += 1
    print(f"steps {done} samples {done * BATCH}", flush=True)


def loader_of(torch, device, workers=2):
    return torch.utils.data.DataLoader(Pictures(torch, STEPS * BATCH), BATCH, num_workers=workers,
                                       pin_memory=device.type == "cuda")


def ddp():
    import torch
    device = group(torch)
    model = torch.nn.parallel.DistributedDataParallel(network(torch).to(device), bucket_cap_mb=8)
    steps_of(torch, model, device, loader_of(torch, device), torch.optim.SGD(model.parameters(), 0.01))
    logged = model._get_ddp_logging_data()
    print("buckets", logged.get("rebuilt_bucket_sizes"), "gradients",
          sum(p.numel() * 4 for p in model.parameters()), flush=True)
    total = torch.ones(1 << 20, device=device)
    for _ in range(5):
        torch.distributed.all_reduce(total)
    gathered = [torch.empty_like(total) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(gathered, total)
    torch.distributed.broadcast(total, 0)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def fsdp():
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
    device = group(torch)
    model = FullyShardedDataParallel(network(torch).to(device), device_id=device.index,
                                     auto_wrap_policy=size_based_auto_wrap_policy)
    steps_of(torch, model, device, loader_of(torch, device), torch.optim.AdamW(model.parameters()))
    torch.distributed.destroy_process_group()


def fsdp2():
    import torch
    from torch.distributed.fsdp import fully_shard
    device = group(torch)
    model = network(torch).to(device)
    for layer in model:
        if list(layer.parameters()):
            fully_shard(layer)
    fully_shard(model)
    steps_of(torch, model, device, loader_of(torch, device), torch.optim.AdamW(model.parameters()))
    torch.distributed.destroy_process_group()


def compiled():
    import torch
    device = torch.device("cuda")
    model = torch.compile(network(torch).to(device), mode="reduce-overhead")
    steps_of(torch, model, device, loader_of(torch, device), torch.optim.SGD(model.parameters(), 0.01))


def graph():
    import torch
    model = network(torch).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x, y = torch.randn(BATCH, 1024, device="cuda"), torch.randint(10, (BATCH,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    whole = torch.cuda.CUDAGraph()
    with torch.cuda.graph(whole):
        step()
    for _ in range(STEPS):
        whole.replay()
    torch.cuda.synchronize()
    print(f"replays {STEPS}", flush=True)


def profiled():
    """The user's own torch.profiler in the middle of a run."""
    import torch
    device = torch.device("cuda")
    model = network(torch).to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    steps_of(torch, model, device, loader_of(torch, device), optimizer)
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profiler:
        steps_of(torch, model, device, loader_of(torch, device), optimizer)
    print("torch.profiler saw", sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events()) > 0,
          flush=True)
    steps_of(torch, model, device, loader_of(torch, device), optimizer)


def transformer():
    import torch
    import transformers
    config = transformers.GPT2Config(n_layer=4, n_head=8, n_embd=512, vocab_size=8192, n_positions=256)
    model = transformers.GPT2LMHeadModel(config)
    data = [{"input_ids": torch.randint(8192, (256,)), "labels": torch.randint(8192, (256,))} for _ in range(STEPS * 8)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder, per_device_train_batch_size=8, num_train_epochs=1, bf16=True, report_to=[], save_steps=15,
            logging_steps=10, dataloader_num_workers=2)
        trainer = transformers.Trainer(model, arguments, train_dataset=data)
        trainer.train()
        print(f"steps {trainer.state.global_step} samples {trainer.state.global_step * 8}", flush=True)


def lightning():
    import torch
    import pytorch_lightning

    class Module(pytorch_lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = network(torch)

        def training_step(self, batch, _):
            return torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    with tempfile.TemporaryDirectory() as folder:
        trainer = pytorch_lightning.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False,
                                            default_root_dir=folder, enable_progress_bar=False)
        trainer.fit(Module(), loader_of(torch, torch.device("cuda")))
        print(f"steps {trainer.global_step} samples {trainer.global_step * BATCH}", flush=True)


def late():
    """Rank 1 sleeps 50 ms before each all-reduce: the other one's kernel waits for it."""
    import time
    import torch
    device = group(torch)
    rank, times = torch.distributed.get_rank(), 20
    numbers = torch.ones(1 << 20, device=device)
    torch.distributed.all_reduce(numbers)
    torch.cuda.synchronize()
    for _ in range(times):
        if rank == 1:
            time.sleep(0.05)
        torch.distributed.all_reduce(numbers)
        torch.cuda.synchronize()
    if rank == 1:
        print(f"planted {50 * times} ms before all-reduces of rank 1", flush=True)
    torch.distributed.destroy_process_group()


def jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    def loss(w, x, y):
        for layer in w:
            x = jnp.tanh(x @ layer)
        return jnp.mean((x - y) ** 2)

    @jax.jit
    def step(w, x, y):
        return [layer - 0.01 * d for layer, d in zip(w, jax.grad(loss)(w, x, y))]

    keys = jax.random.split(jax.random.PRNGKey(0), 6)
    w = [jax.random.normal(key, (1024, 1024)) / 32 for key in keys]
    x = jax.random.normal(keys[0], (BATCH, 1024))
    for _ in range(STEPS):
        w = step(w, x, x)
    jax.block_until_ready(w)
    print(f"steps {STEPS} on {jax.devices()[0].platform}", flush=True)


MODES = {f.__name__: f for f in (ddp, fsdp, fsdp2, compiled, graph, profiled, transformer, lightning, late, jax)}
if __name__ == "__main__":
    MODES[sys.argv[1]]()
