"""Leaves out what no result depends on, where a model reads first rows alone of its last layer (``x[:batch_size]``).

Samplers number the nodes that they find hop by hop. What the first ``n`` nodes of a layer are computed of are the edges
that end in them, the nodes that these start from, which are among the first ``m``, and so on: what ``trim_to_layer``
does by hand, without numbers of nodes per hop. Whatever the order of nodes is, nothing is left out that is needed::

    h = f(aggregate(x[src], dst, N))
    y = h[arange(n)]                     ->     y = f(aggregate(x[src'], dst', n))

``src'`` and ``dst'`` are the edges with ``dst < n``, and of ``x`` only the rows up to the greatest ``src'`` are
computed. Such lists are made before the region runs (``_run/trimming.py``), once for the same lists of edges.

    demand.py     what is needed of each value, from the results back
    row_ops.py    operators that treat each row by itself
    rewrite.py    the function of what is needed
"""

from __future__ import annotations

from ..._run.trimming import Trimming
from ..functional import Functional, Subgraph
from ..lists_of_nodes import counted_by
from .demand import Demands
from .rewrite import Rewrite


def trim(part: Subgraph, functional: Functional) -> tuple[Functional, Trimming] | None:
    """The function without what no result depends on, and what computes its further arguments; None where all counts.

    Args:
        part: what the function computes.
        functional: the same as ATen; it stays as it is.
    """
    if functional.written or any(counted_by(node) for node, _ in functional.constants):
        return None
    demands = Demands(part, functional)
    if not demands.trimming.cuts:
        return None
    return Rewrite(functional, demands).make(), demands.trimming
