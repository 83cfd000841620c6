"""Trained networks that rank configurations together, and their file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..._compile import compile
from .graphs import ModuleGraph
from .inputs import Inputs
from .metrics import BATCH
from .network import Network
from .recipe import PERMUTATIONS
from .settings import Settings

VERSION = 1
"""Of the file; one of another is refused."""


class Ranker:
    """Ranks configurations by the mean score of several networks.

    Args:
        networks: of the same settings; their mode becomes that of evaluation.
        about: what is known of their training, of plain values.
        compiled: whether RGNN compiles them; otherwise PyTorch runs them.

    Attributes:
        networks, about: these.
        calls: what runs each network.

    Raises:
        ValueError: there is no network.

    Source: TGraph (sec. 2.5.3).
    """

    def __init__(self, networks: Sequence[Network], about: dict[str, Any] | None = None, *, compiled: bool = True):
        if not networks:
            raise ValueError("expected networks, got none")
        self.networks, self.about = [network.eval() for network in networks], dict(about or {})
        self.calls = [compile(network, fullgraph=True) if compiled else network for network in networks]

    @property
    def settings(self) -> Settings:
        return self.networks[0].settings

    def scores(self, module: ModuleGraph, *, permutations: int = PERMUTATIONS, batch: int = BATCH,
               seed: int = 0) -> np.ndarray:  # fmt: skip
        """Scores ``[C]``, float64, of all configurations of a module; a lower one is of a faster configuration.

        Args:
            module: pruned or not.
            permutations: configurations are scored in so many random orders, in batches, and the scores averaged.
            batch: configurations of a batch. All have as many: the last one of an order takes some of the one before.
            seed: of the orders.

        Raises:
            ValueError: the module does not fit the networks, or a number is not positive.
        """
        for name, number in (("permutations", permutations), ("batch", batch)):
            if number < 1:
                raise ValueError(f"{name}: expected a positive number, got {number}")
        inputs, draw = Inputs(module, self.settings), np.random.default_rng(seed)
        total, count = np.zeros(len(inputs)), np.zeros(len(inputs))
        with torch.no_grad():
            for _ in range(permutations):
                for part in _batches(draw.permutation(len(inputs)), batch):
                    arguments = inputs.at(part)
                    for call in self.calls:
                        total[part] += call(*arguments).double().numpy()
                    count[part] += len(self.calls)
        return total / count

    def save(self, path: str | Path) -> None:
        torch.save({"version": VERSION, "settings": dataclasses.asdict(self.settings), "about": self.about,
                    "networks": [network.state_dict() for network in self.networks]}, path)  # fmt: skip

    @classmethod
    def load(cls, path: str | Path, *, compiled: bool = True) -> Ranker:
        """Reads a file of :meth:`save`.

        Raises:
            OSError: it cannot be read.
            ValueError: it is none, or one of another version.
        """
        try:
            saved = torch.load(path, weights_only=True)
            version = saved["version"]
            if version == VERSION:
                settings = Settings(**saved["settings"])
                networks = [Network(settings) for _ in saved["networks"]]
                for network, state in zip(networks, saved["networks"]):
                    network.load_state_dict(state)
                return cls(networks, saved["about"], compiled=compiled)
        except OSError:
            raise
        except Exception as error:  # what torch.load and load_state_dict raise of other files is anything
            raise ValueError(f"{path}: expected a file of python -m rgnn.tune rank train: {error}") from None
        raise ValueError(f"{path}: expected version {VERSION}, got {version}")


def _batches(order: np.ndarray, batch: int) -> Iterator[np.ndarray]:
    for start in range(0, len(order), batch):
        end = min(start + batch, len(order))
        yield order[max(end - batch, 0) : end]
