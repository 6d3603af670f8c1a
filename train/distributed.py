"""Several processes that learn as one: torch.distributed, started by us or by torchrun.

Every process collects its own games; gradients are summed over all of them, so that the step is
that of one process with all the samples.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def rank() -> int:
    """Return the number of this process."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """Return how many processes there are."""
    return dist.get_world_size() if dist.is_initialized() else 1


def sum_over_processes(numbers: Iterable[float]) -> list[float]:
    """Return the sums of some numbers over all processes."""
    tensor = torch.tensor(list(numbers), dtype=torch.float64)
    if dist.is_initialized():
        dist.all_reduce(tensor)
    return [float(x) for x in tensor]


def average_gradients(parameters: list[nn.Parameter], count: int) -> None:
    """Turn gradients of a summed loss into those of the mean over the samples of all processes.

    Args:
        count: samples of this process.
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat(
        [*(gradient.flatten() for gradient in gradients), torch.tensor([float(count)])]
    )
    if dist.is_initialized():
        dist.all_reduce(flat)
    flat /= flat[-1].clone()
    first = 0
    for gradient in gradients:
        gradient.copy_(flat[first : first + gradient.numel()].view_as(gradient))
        first += gradient.numel()


def one_first(work: Callable[[], None]) -> None:
    """Let the first process do some work, then the others, who find what it has left on disk."""
    if rank() == 0:
        work()
    if dist.is_initialized():
        dist.barrier()
    if rank() > 0:
        work()


def share_weights(modules: Iterable[nn.Module]) -> None:
    """Give all processes the weights of the first."""
    if dist.is_initialized():
        for module in modules:
            for tensor in module.state_dict().values():
                dist.broadcast(tensor, 0)


def launch(work: Callable[[], None], processes: int) -> None:
    """Run ``work`` in several processes; under torchrun, in the one that it has started.

    The first of them is this one, so that its output and its errors are the caller's.

    Args:
        work: must be picklable.
    """
    if "TORCHELASTIC_RUN_ID" in os.environ:
        dist.init_process_group("gloo")
        _run(work)
        return
    if processes == 1:
        _run(work)
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting = f"file://{Path(folder) / 'meeting'}"
        context = mp.get_context("spawn")
        others = [
            context.Process(target=_child, args=(work, meeting, i, processes), daemon=True)
            for i in range(1, processes)
        ]
        for other in others:
            other.start()
        try:
            dist.init_process_group("gloo", init_method=meeting, rank=0, world_size=processes)
            _run(work)
            for other in others:
                other.join()
        finally:
            for other in others:
                other.terminate()


def _child(work: Callable[[], None], meeting: str, number: int, processes: int) -> None:
    dist.init_process_group("gloo", init_method=meeting, rank=number, world_size=processes)
    _run(work)
    # Its work is done and it owns no file. An orderly end has been seen to abort with "terminate
    # called without an active exception", where a thread of PyTorch was still about.
    os._exit(0)


def _run(work: Callable[[], None]) -> None:
    """Run with one thread: on shared cores, two processes of one beat one process of two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        work()
    finally:
        torch.set_num_threads(before)
        if dist.is_initialized():
            dist.destroy_process_group()


def generator(seed: int, *keys: int) -> np.random.Generator:
    """Return a random generator of this process that depends on a seed and some keys."""
    return np.random.default_rng([seed, rank(), *keys])
