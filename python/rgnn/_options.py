"""Options of :func:`rgnn.compile`."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """How a model is compiled. An unknown name is a TypeError.

    Attributes:
        cpu: processor to generate code for: ``"native"``, or LLVM's name of one (``"x86-64-v3"``).
        features: features to add or leave out, such as ``"+avx2;-avx512f"``.
        schedule: schedules set by hand, by kernel kind: ``{"gemm": (96, 6, 2, 8), "traverse": (64,)}`` are tile
            rows, block rows, block vectors and vector width of every GEMM, and task rows of every traversal.
        cache: keep compiled code on disk (``$RGNN_CACHE_DIR``, else ``$XDG_CACHE_HOME/rgnn``) and take it from there.
    """

    cpu: str = "native"
    features: str = ""
    schedule: dict[str, tuple[int, ...]] = field(default_factory=dict)
    cache: bool = True

    def __post_init__(self) -> None:
        sizes = {"gemm": 4, "traverse": 1}
        for kind, values in self.schedule.items():
            if kind not in sizes:
                raise ValueError(f"schedule: expected kinds {sorted(sizes)}, got {kind!r}")
            if len(values) != sizes[kind] or not all(isinstance(value, int) and value > 0 for value in values):
                raise ValueError(f"schedule[{kind!r}]: expected {sizes[kind]} positive integers, got {values!r}")

    def pipeline(self) -> str:
        """The options of the compiler's pipeline."""
        parts = []
        if self.cpu != "native":
            parts.append(f"cpu={self.cpu}")
        if self.features:
            parts.append(f"features={self.features}")
        for kind, values in sorted(self.schedule.items()):
            parts.append(f"{kind}-schedule={','.join(map(str, values))}")
        return " ".join(parts)
