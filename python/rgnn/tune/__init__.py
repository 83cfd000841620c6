"""Plans that suit a model, a graph and this machine, found by learned costs and by measurement.

>>> choice = rgnn.tune.choose(model, x, edge_index)
>>> compiled = rgnn.compile(model, options=choice.options)

``python -m rgnn.tune`` learns what kernels cost on this machine.
"""

from .choose import Choice, Tried, choose

__all__ = ["Choice", "Tried", "choose"]
