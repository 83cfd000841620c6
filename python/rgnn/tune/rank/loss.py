"""What networks are trained by: that slower configurations have higher scores."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor


def pairwise_hinge(scores: Tensor, times: Tensor) -> Tensor:
    """Equation 8: the sum of ``max(0, 1 - (s_i - s_j))`` over all pairs where ``i`` takes longer than ``j``.

    Args:
        scores, times: ``[C]``.

    Source: TGraph (sec. 2.4.1). The authors' code takes the mean of the pairs; a bound of the gradient's norm makes
        the two differ little.
    """
    is_slower = times[:, None] > times[None, :]
    margins = (1 - (scores[:, None] - scores[None, :])).relu()
    return (margins * is_slower).sum()


def squared_error(scores: Tensor, times: Tensor) -> Tensor:
    """The mean squared difference of scores and times, these without their mean and by their standard deviation.

    What the pairwise loss is compared with.
    """
    centred = times - times.mean()
    deviation = centred.square().mean().sqrt()
    return (scores - centred / deviation.clamp(min=1e-30)).square().mean()


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {"hinge": pairwise_hinge, "squared": squared_error}
