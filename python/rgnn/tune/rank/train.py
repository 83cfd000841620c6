"""Trains networks, and keeps the best ones as a ranker."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn, optim
from tqdm import tqdm

from ..._compile import compile
from .graphs import ModuleGraph
from .inputs import Inputs, settings_for
from .loss import LOSSES
from .metrics import batched_kendall_tau, tile_score
from .network import Network
from .ranker import Ranker
from .recipe import Recipe, make_optimiser, rate_at, split_folds
from .settings import Settings


@dataclass(frozen=True)
class Fold:
    """A network that was trained without one fold.

    Attributes:
        network: in evaluation mode.
        losses: of each step.
        quality: on the fold: the mean of tau over batches of a layout collection, of M_tile of a tile collection;
            minus infinity where scores are not finite.
    """

    network: Network
    losses: list[float]
    quality: float


def train(modules: Sequence[ModuleGraph], recipe: Recipe | None = None, *, progress: bool = False,
          compiled: bool = True, **flags: bool | float) -> tuple[Ranker, list[Fold]]:  # fmt: skip
    """Trains a network without each of the first folds, and ranks by the best of them.

    Args:
        modules: of one collection.
        recipe: how, by default that of layout collections.
        progress: whether to show it on the standard error output.
        compiled: whether RGNN compiles the networks, or PyTorch runs them.
        flags: fields of :class:`~rgnn.tune.rank.settings.Settings` that are not as the paper has them.

    Returns:
        The ranker, and all networks that were trained.

    Raises:
        ValueError: modules do not fit together, or are fewer than folds; a flag is wrong; or no network that was
            trained has finite scores.

    Source: TGraph (sec. 2.4).
    """
    recipe, settings = recipe or Recipe(), settings_for(modules, **flags)
    folds = split_folds(modules, recipe.folds, recipe.seed)
    trained: list[Fold] = []
    for number in range(recipe.trained):
        training = [module for other, fold in enumerate(folds) if other != number for module in fold]
        title = f"fold {number + 1} of {recipe.trained}" if progress else None
        network, losses = train_network(training, settings, recipe, number, title, compiled)
        trained.append(Fold(network, losses, quality_of(network, folds[number], compiled)))
    ranking = sorted((fold for fold in trained if fold.quality > -math.inf), key=lambda fold: -fold.quality)
    if not ranking:
        raise ValueError(f"expected a network whose scores are finite, got none of {len(trained)}")
    best = ranking[: recipe.best]
    about = {"recipe": dataclasses.asdict(recipe), "modules": len(modules),
             "qualities": [fold.quality for fold in best]}  # fmt: skip
    return Ranker([fold.network for fold in best], about, compiled=compiled), trained


def train_network(modules: Sequence[ModuleGraph], settings: Settings, recipe: Recipe, number: int = 0,
                  title: str | None = None, compiled: bool = True) -> tuple[Network, list[float]]:  # fmt: skip
    """Trains one network; in each step it sees some configurations of one module.

    Args:
        modules: to train on.
        settings, recipe: of the network, and how.
        number: of the fold, of which each draws other numbers.
        title: of the progress that is shown; None where it is not.
        compiled: whether RGNN compiles it.

    Returns:
        The network in evaluation mode, and the loss of each step.
    """
    draw = np.random.default_rng([recipe.seed, number])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(draw.integers(2**31)))
        network = Network(settings)
    inputs = [Inputs(module, settings) for module in modules]
    network.standardise.fit([one.numbers for one in inputs])
    if network.fusion is not None:
        network.fusion.standardise.fit([torch.from_numpy(module.configurations.features()) for module in modules])
    steps = max(round(recipe.epochs * len(inputs)), 1)
    optimiser = make_optimiser(network, recipe)
    rates = optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, steps, recipe.warm_up))
    call = compile(network, fullgraph=True) if compiled else network
    losses: list[float] = []
    for one in tqdm(_draw_modules(inputs, steps, draw), total=steps, desc=title, disable=title is None, unit="step"):
        which = draw.permutation(len(one))[: recipe.configurations]
        loss = LOSSES[recipe.loss](call(*one.at(which)), one.times[which])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
        optimiser.step()
        rates.step()
        losses.append(loss.item())
    return network.eval(), losses


def _draw_modules(inputs: Sequence[Inputs], steps: int, draw: np.random.Generator) -> Iterator[Inputs]:
    """Modules in random orders, each once before any is seen again."""
    for step in range(steps):
        if step % len(inputs) == 0:
            order = draw.permutation(len(inputs))
        yield inputs[order[step % len(inputs)]]


def quality_of(network: Network, modules: Sequence[ModuleGraph], compiled: bool = True) -> float:
    """As of :class:`Fold`, of configurations in one random order."""
    measure = batched_kendall_tau if network.settings.kind == "layout" else tile_score
    ranker, found = Ranker([network], compiled=compiled), []
    for module in modules:
        scores = ranker.scores(module, permutations=1)
        if not np.isfinite(scores).all():
            return -math.inf
        if len(scores) > 1:
            found.append(measure(scores, module.relative_times))
    return float(np.mean(found)) if found else -math.inf
