"""What a network is like: the paper's by default, the authors' code and ablations by flags."""

from __future__ import annotations

from dataclasses import dataclass, fields

from .packing import BASE


@dataclass(frozen=True)
class Settings:
    """Sizes and parts of a network.

    Attributes:
        kind: ``"layout"`` for configurations of nodes, ``"tile"`` for those of a module.
        numbers: features of a node that are numbers.
        layouts: features of a node that are categories.
        fields: of a configuration.
        ops: kinds of nodes.
        categories: values that layouts and configurations of nodes have, from -1 on.
        width: channels of a node.
        blocks: one after another.
        temperature: what the softmax over configurations divides by to begin with.
        sum: whether SAGE adds neighbours up; otherwise it takes their mean.
        project: whether SAGE has a first layer, which neighbours go through.
        relu: whether neighbours go through a ReLU behind it.
        normalise: whether SAGE's result has length 1.
        activate_sum: whether a block's activation is that of the sum with its input, not of what is added.
        self_attention, cross_attention: whether blocks have them.
        both_directions: whether the neighbours of a node are those on either end of its edges, not where they start
            alone.
        prune: whether nodes that are neither configurable nor neighbours of such are left out.

    Source: TGraph (sec. 2.2 and 2.3). The code that its authors have published differs: ``sum``, ``project``,
        ``normalise`` and ``both_directions`` are False there, ``activate_sum`` is True. The temperature to begin with
        is theirs.

    Raises:
        ValueError: a width that does not split into what the parts need, or a size that is not positive.
    """

    kind: str
    numbers: int
    layouts: int
    fields: int
    ops: int
    categories: int = BASE
    width: int = 256
    blocks: int = 2
    temperature: float = 0.5
    sum: bool = True
    project: bool = True
    relu: bool = False
    normalise: bool = True
    activate_sum: bool = False
    self_attention: bool = True
    cross_attention: bool = True
    both_directions: bool = True
    prune: bool = True

    def __post_init__(self) -> None:
        if self.kind not in ("layout", "tile"):
            raise ValueError(f"kind: expected layout or tile, got {self.kind!r}")
        for name in ("ops", "categories", "width", "blocks", "temperature"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: expected a positive number, got {getattr(self, name)}")
        if self.width % 16:
            raise ValueError(f"width: expected a multiple of 16, got {self.width}")

    @classmethod
    def flags(cls) -> list[str]:
        """Names of what is either so or not."""
        return [field.name for field in fields(cls) if field.type in (bool, "bool")]
