"""Models as programs of relational learning write them, with generated data to train them on."""

from __future__ import annotations

from collections.abc import Callable

import torch

from . import academic, gps, mag, nbfnet, recommender, relbench
from .client import Client

CLIENTS: dict[str, Callable[[bool], Client]] = {
    "relbench-sage": relbench.sage,
    "relbench-gat": relbench.gat,
    "mag-rgcn": mag.rgcn,
    "mag-rgat": mag.rgat,
    "hgt": academic.hgt,
    "han": academic.han,
    "recommender": recommender.make,
    "nbfnet": nbfnet.mul,
    "nbfnet-add": nbfnet.add,
    "nbfnet-rotate": nbfnet.rotate,
    "gps": gps.make,
}


def make(name: str, quick: bool) -> Client:
    """The client of a name, in the default dtype; parameters and data are the same whenever it is made."""
    torch.manual_seed(0)
    return CLIENTS[name](quick)
