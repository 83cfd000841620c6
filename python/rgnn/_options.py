"""Options of :func:`rgnn.compile`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """How a model is compiled. An unknown name is a TypeError.

    Rewrites, from ``stack_types`` to ``fuse``, are ``"auto"``, True or False. True runs the pass, whose
    own rules still decide where it is legal and pays; nothing forces it beyond them. False leaves it out. ``"auto"`` is
    True, but for ``aggregate_first`` and ``split_sides``.

    Attributes:
        cpu: processor to generate code for: ``"native"``, or LLVM's name of one (``"x86-64-v3"``).
        features: features to add or leave out, such as ``"+avx2;-avx512f"``.
        schedule: fields of schedules set by hand, for every kernel of a kind: ``{"gemm": {"block_rows": 4},
            "traverse": {"mapping": "edge"}}``. The fields are those of the attributes ``cpu_gemm`` and
            ``cpu_traverse`` of the ``hetkernel`` dialect, for GPUs ``gpu_gemm`` and ``gpu_traverse``; another is a
            CompileError that names them.
        layout: how data lies in memory. ``{"padding": 8}`` starts rows of temporaries at multiples of 8 elements.
            ``{"adjacency": "coo"}`` computes rows of edges edge by edge with their ends looked up, ``"csc"`` within
            the incoming edges of a node, ``"auto"`` as suits what reads them.
        .. BEGIN rewrites: attributes (utils/write_rewrites.py)
        merge_products: multiply rows once where several products of them are added up (``rgnn-merge-products``).
        stack_relations: compute all relations that differ only in their weights in one go, on one graph of all their
            edges (``rgnn-stack-relations``). True takes any two; ``"auto"`` 16 or more on CPUs, four or more on GPUs,
            and half as many between nodes of one type.
        stack_types: compute the rows of all node types at once where the types differ in weights alone
            (``rgnn-stack-types``).
        reorder: multiply weights first where a product of rows follows another (``rgnn-reorder-linear``).
        reassociate: choose by the widths of rows in which order to sum over edges, multiply by weights and scale by
            factors of nodes (``rgnn-reassociate``).
        aggregate_first: sum rows per end and type before they are multiplied (``rgnn-aggregate-first``). True runs it
            before ``split_sides``, ``postpone`` and ``compact``; ``"auto"`` behind them, for products that they leave
            on edges.
        normalise_sums: divide sums of rows that a softmax weights, instead of the weights (``rgnn-normalise-sums``).
        split_sides: compute products before a sum per source or per destination node of each edge type, whichever set
            is smaller in the graph (``rgnn-split-sides``). True runs it on GPUs too; ``"auto"`` on CPUs, where neither
            ``compact`` nor ``aggregate_first`` is False.
        postpone: compute products once per node or type before edges read them (``rgnn-postpone-propagation``).
        compact: compute products once for all edges that share an end and the type (``rgnn-compact``).
        recompute: compute values of edges (softmax, candidates of maxima) again in the backward instead of keeping them
            from the forward, where that costs little (``rgnn-recompute``). True computes all again but what maxima are
            taken of, and orders kernels for a low peak: more time, and most often less memory.
        hoist_normalisation: compute what the graph alone decides, such as numbers of edges that divide sums, once per
            graph, and keep it with the graph (``rgnn-hoist-normalisation``). For CPUs alone: code for GPUs computes it
            in each call, with True as well.
        fuse: let ops over the edges of a node share a kernel that stores no rows of edges, where no other kernel reads
            them (``convert-rgnn-to-hetkernel``). False is for comparisons: each op has a kernel of its own.
        .. END rewrites
        deterministic: add up the rows of a node in the same order in every run, on any number of threads. False lets
            products add their rows to those of nodes as they come, so that results differ in their last bits from run
            to run; on processors it seldom pays.
        memory_budget: bytes that the compiled code of a model may take in a call, and with gradients, in a training
            step: temporaries, results, what is saved for the backward, gradients, and what is looked up in graphs; not
            inputs, parameters, and what PyTorch runs. What a call takes is known before it runs; where that is more,
            the fastest plan that fits is compiled, as far as costs are foretold, and where none fits, the call raises
            a CompileError that says how much the smallest one takes. None for any number.
        plan: how rewrites that are ``"auto"`` are chosen on processors: by ``"rules"`` that know widths and kinds of
            sums, or by ``"costs"``. Then plans are compared for each compiled part at its first call, and at its first
            one with gradients: what their kernels are predicted to take on that call's graph and sizes, by what was
            learned from measured kernels (``python -m rgnn.tune``). Another plan than that of the rules is compiled
            where it is predicted to be faster by more than 3 %. First calls take longer; later ones keep the plan,
            until one has a graph with eight times as many edges. ``rgnn.tune.choose`` also measures.
        cache: keep compiled code on disk (``$RGNN_CACHE_DIR``, else ``$XDG_CACHE_HOME/rgnn``) and take it from there.
    """

    cpu: str = "native"
    features: str = ""
    schedule: dict[str, dict[str, int | bool | str]] = field(default_factory=dict)
    layout: dict[str, int | str] = field(default_factory=dict)
    # BEGIN rewrites: fields (utils/write_rewrites.py)
    merge_products: bool | str = "auto"
    stack_relations: bool | str = "auto"
    stack_types: bool | str = "auto"
    reorder: bool | str = "auto"
    reassociate: bool | str = "auto"
    aggregate_first: bool | str = "auto"
    normalise_sums: bool | str = "auto"
    split_sides: bool | str = "auto"
    postpone: bool | str = "auto"
    compact: bool | str = "auto"
    recompute: bool | str = "auto"
    hoist_normalisation: bool | str = "auto"
    fuse: bool | str = "auto"
    # END rewrites
    deterministic: bool = True
    memory_budget: float | None = None
    plan: str = "rules"
    cache: bool = True

    def __post_init__(self) -> None:
        for kind, fields in self.schedule.items():
            if kind not in ("gemm", "traverse"):
                raise ValueError(f"schedule: expected kinds 'gemm' and 'traverse', got {kind!r}")
            if not isinstance(fields, dict):
                raise TypeError(f"schedule[{kind!r}]: expected a dict of fields, got {fields!r}")
            for name, value in fields.items():
                if not str(name).isidentifier() or not str(value).isalnum() or not isinstance(value, int | str):
                    raise ValueError(f"schedule[{kind!r}]: expected names of fields and non-negative integers, "
                                     f"booleans or words, got {name!r}: {value!r}")

        for name, value in self.layout.items():
            if name not in ("adjacency", "padding"):
                raise ValueError(f"layout: expected 'adjacency' and 'padding', got {name!r}")
            if name == "adjacency" and value not in ("auto", "coo", "csc"):
                raise ValueError(f"layout['adjacency']: expected 'auto', 'coo' or 'csc', got {value!r}")
            if name == "padding" and (isinstance(value, bool) or value not in range(1, 1025)):
                raise ValueError(f"layout['padding']: expected an integer from 1 to 1024, got {value!r}")

        for name in REWRITES:
            value = getattr(self, name)
            if value != "auto" and not isinstance(value, bool):
                raise ValueError(f"{name}: expected 'auto', True or False, got {value!r}")
        if not isinstance(self.deterministic, bool):
            raise ValueError(f"deterministic: expected True or False, got {self.deterministic!r}")

        if self.plan not in ("rules", "costs"):
            raise ValueError(f"plan: expected 'rules' or 'costs', got {self.plan!r}")
        budget = self.memory_budget
        if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int | float)):
            raise TypeError(f"memory_budget: expected a number of bytes or None, got {budget!r}")
        if budget is not None and not budget > 0:
            raise ValueError(f"memory_budget: expected a positive number of bytes, got {budget!r}")

    def pipeline(self) -> str:
        """The options of the compiler's pipeline."""
        parts = []
        if self.cpu != "native":
            parts.append(f"cpu={self.cpu}")
        if self.features:
            parts.append(f"features={self.features}")
        return " ".join(filter(None, [*parts, self.kernel_pipeline()]))

    def kernel_pipeline(self) -> str:
        """Those of them that are about kernels, whatever they run on."""
        parts = []
        for kind, fields in sorted(self.schedule.items()):
            if fields:
                values = (f"{name}:{str(value).lower()}" for name, value in sorted(fields.items()))
                parts.append(f"{kind}-schedule={','.join(values)}")
        parts += [f"{name}={value}" for name, value in sorted(self.layout.items())]
        values = ((name, getattr(self, name)) for name in REWRITES)
        if not self.deterministic:
            parts.append("deterministic=false")
        parts += [f"{name.replace('_', '-')}={str(value).lower()}" for name, value in values if value != "auto"]
        return " ".join(parts)


REWRITES = tuple(option.name for option in dataclasses.fields(Options) if option.default == "auto")
"""Options that are ``"auto"``, True or False: whether the compiler runs a rewrite (``_rgnn.rewrites``)."""
