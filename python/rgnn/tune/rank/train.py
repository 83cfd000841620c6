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
        qualities: on the fold, by the number of steps so far, the last one after all: the mean of tau over batches of a
            layout collection, of M_tile of a tile collection; minus infinity where scores are not finite.
    """

    network: Network
    losses: list[float]
    qualities: dict[int, float]

    @property
    def quality(self) -> float:
        """The last one."""
        return self.qualities[len(self.losses)]


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
        trained.append(train_network(training, folds[number], settings, recipe, number, title, compiled))
    ranking = sorted((fold for fold in trained if fold.quality > -math.inf), key=lambda fold: -fold.quality)
    if not ranking:
        raise ValueError(f"expected a network whose scores are finite, got none of {len(trained)}")
    best = ranking[: recipe.best]
    about = {"recipe": dataclasses.asdict(recipe), "modules": len(modules),
             "qualities": [fold.quality for fold in best]}  # fmt: skip
    return Ranker([fold.network for fold in best], about, compiled=compiled), trained


def train_network(modules: Sequence[ModuleGraph], held_out: Sequence[ModuleGraph], settings: Settings, recipe: Recipe,
                  number: int = 0, title: str | None = None, compiled: bool = True) -> Fold:  # fmt: skip
    """Trains one network; in each step it sees some configurations of one module.

    Args:
        modules: to train on.
        held_out: to measure its quality on.
        settings, recipe: of the network, and how.
        number: of the fold, of which each draws other numbers.
        title: of the progress that is shown; None where it is not.
        compiled: whether RGNN compiles it.
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
    ranker = Ranker([network], compiled=compiled)  # its evaluation mode is that of training, too
    losses: list[float] = []
    qualities: dict[int, float] = {}
    checks = {steps * check // recipe.checks for check in range(1, recipe.checks + 1)}
    with tqdm(total=steps, desc=title, disable=title is None, unit="step") as bar:
        for step, one in enumerate(_draw_modules(inputs, steps, draw), 1):
            which = draw.permutation(len(one))[: recipe.configurations]
            loss = LOSSES[recipe.loss](ranker.calls[0](*one.at(which)), one.times[which])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
            optimiser.step()
            rates.step()
            losses.append(loss.item())
            bar.update()
            if step in checks:
                qualities[step] = quality_of(ranker, held_out)
                bar.set_postfix(quality=f"{qualities[step]:.4f}")
    return Fold(network, losses, qualities)


def quality_of(ranker: Ranker, modules: Sequence[ModuleGraph]) -> float:
    """As of :class:`Fold`, of configurations in one random order."""
    measure, found = batched_kendall_tau if ranker.settings.kind == "layout" else tile_score, []
    for module in modules:
        scores = ranker.scores(module, permutations=1)
        if not np.isfinite(scores).all():
            return -math.inf
        if len(scores) > 1:
            found.append(measure(scores, module.relative_times))
    return float(np.mean(found)) if found else -math.inf


def _draw_modules(inputs: Sequence[Inputs], steps: int, draw: np.random.Generator) -> Iterator[Inputs]:
    """Modules in random orders, each once before any is seen again."""
    for step in range(steps):
        if step % len(inputs) == 0:
            order = draw.permutation(len(inputs))
        yield inputs[order[step % len(inputs)]]
