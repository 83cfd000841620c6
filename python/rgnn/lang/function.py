"""rgnn.function: functions of nodes and edges, compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from .._options import Options
from .._target import check_target
from .arguments import Signature
from .embed import embed
from .graphs import Lists
from .tracer import is_tracing
from .versions import Version, Versions


def function(
    function: Callable | None = None, *, options: Options | None = None, target: str | None = None,
) -> Any:  # fmt: skip
    """Makes a function that computes with one node or edge at a time compute with all of them, compiled.

    >>> @rgnn.function
    ... def gated(g, h: rgnn.Node, w: rgnn.Weight, a: rgnn.Edge):
    ...     for e in g.edges():
    ...         e["m"] = rgnn.lang.linear(e.src["h"], w[e.etype])
    ...         e["gate"] = rgnn.lang.sigmoid(rgnn.lang.dot(e["m"], e.dst["h"]) + e["a"])
    ...     for n in g.dst_nodes():
    ...         for e in n.incoming_edges():
    ...             n["y"] += e["gate"] * e["m"]
    ...     return g.ndata["y"]
    >>> y = gated(graph, h=x, w=weight, a=scores)

    Python runs the function once for each signature, with one symbolic node or edge a loop; no source is read. What it
    does becomes ``rgnn.program``, which is raised, differentiated and compiled as other models are. docs/Language.md
    has the language by examples.

    Args:
        function: its first argument, or in a method the one after ``self``, is the graph. Others are annotated:
            :class:`rgnn.Node` for rows of nodes ``[N, ...]``, :class:`rgnn.Edge` for rows of edges ``[E, ...]``, which
            are data of the argument's name; :class:`rgnn.Weight` for what all share, with an entry a type in front
            where the function picks one. Arguments without these are modules, whose parameters it reads, or fixed
            values, such as a number of heads.
        options: see :class:`rgnn.Options`.
        target: ``"cpu"``, ``"cuda"``, a chip, or None for the device of the tensors.

    Returns:
        A function of a graph and these arguments, by place or by name. The graph is an :class:`rgnn.Graph`;
        ``edge_index`` ``[2, E]`` (int64 or int32); or a tuple of it, ``edge_type`` ``[E]`` and ``node_type`` ``[N]``,
        which can be given by name, too. Tensors are of one dtype: float64, float32, bfloat16 or float16. It returns
        what the function does: rows ``[N, ...]`` or ``[E, ...]``, alone or in tuples, lists and dictionaries.

    Calls raise :class:`LanguageError`, with a line of the function, for what the language has not;
    :class:`InputError` for tensors that do not fit; and TypeError for arguments that are missing. What no kernel
    computes runs by PyTorch's operators, and a warning names the line.

    Source: Hector (ASPLOS 2024, sec. 3.1 and Table 2), whose language this is.
    """
    if function is None:
        return functools.partial(globals()["function"], options=options, target=target)
    check_target(target)
    return Function(function, options or Options(), target)


class Function:
    """What :func:`rgnn.function` gives.

    Attributes:
        __wrapped__: the function as it was written.
        signature: its parameters.
    """

    def __init__(self, function: Callable, options: Options, target: str | None):
        functools.update_wrapper(self, function)
        self.signature = Signature(function)
        self._versions = Versions(function, self.signature, options, target)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else Method(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_dynamo_compiling():
            return embed(self, *self.signature.bind(args, kwargs))
        if is_tracing():  # a helper of another function
            return self.__wrapped__(*args, **kwargs)
        lists, values = self.signature.bind(args, kwargs)
        return self._versions.find(lists, values).run(lists, values)

    def find(self, lists: Lists, values: list[Any]) -> Version:
        """The version of a call, traced where there is none."""
        return self._versions.find(lists, values)

    @property
    def versions(self) -> list[Version]:
        """What the function was traced to, one for each signature of a call."""
        return [version for versions in self._versions.made.values() for version in versions]

    def __repr__(self) -> str:
        return f"<rgnn.function {self.__qualname__}>"


class Method:
    """A function of the language as the method of an object; TorchDynamo looks into it."""

    def __init__(self, function: Function, owner: Any):
        self._function, self._owner = function, owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._owner, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)
