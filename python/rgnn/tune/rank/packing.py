"""Configurations as few integers: many small numbers of a configuration become digits of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST, BASE, GROUP = -1, 7, 6
"""Of TpuGraphs: numbers from -1 to 5, six of which describe the layout of one tensor."""

MOST = 2**63
"""Digits that give more values than that become another integer."""


@dataclass(frozen=True)
class Packing:
    """Writes ``D`` fields, each an integer from ``least`` on, as ``W`` integers. The first field is the lowest digit.

    Attributes:
        least: the smallest value of each field.
        sizes: how many values each field has, at least 1: the base of its digit.
        groups: how many fields each integer has, one after another; they sum up to ``D``.

    Source: TGraph (sec. 2.2.3), which packs 6 fields of 7 values; other bases are RGNN's own.
    """

    least: tuple[int, ...]
    sizes: tuple[int, ...]
    groups: tuple[int, ...]

    @classmethod
    def tpugraphs(cls, fields: int) -> Packing:
        """Base 7, six fields an integer. Raises ValueError where ``fields`` is no multiple of 6."""
        if fields % GROUP:
            raise ValueError(f"expected a multiple of {GROUP} fields, got {fields}")
        return cls((LEAST,) * fields, (BASE,) * fields, (GROUP,) * (fields // GROUP))

    @classmethod
    def mixed(cls, least: Sequence[int], sizes: Sequence[int]) -> Packing:
        """A base for each field, and as many fields an integer as it has room for."""
        groups, product = [0], 1
        for size in sizes:
            product *= size
            if product > MOST:
                groups.append(0)
                product = size
            groups[-1] += 1
        return cls(tuple(map(int, least)), tuple(map(int, sizes)), tuple(groups))

    @classmethod
    def fitting(cls, features: np.ndarray) -> Packing:
        """That of TpuGraphs where the features ``[..., D]`` fit it, and bases of their own otherwise."""
        fields = features.shape[-1]
        if not features.size:
            return cls.mixed((LEAST,) * fields, (BASE,) * fields)
        flat = features.reshape(-1, fields)
        least, most = flat.min(0).astype(int), flat.max(0).astype(int)
        if fields % GROUP == 0 and least.min() >= LEAST and most.max() < LEAST + BASE:
            return cls.tpugraphs(fields)
        return cls.mixed(least, most - least + 1)

    @property
    def most(self) -> int:
        """The largest value that a field has."""
        return max((least + size - 1 for least, size in zip(self.least, self.sizes)), default=LEAST)

    def pack(self, features: np.ndarray) -> np.ndarray:
        """Writes features ``[..., D]`` as integers ``[..., W]``, int32 where they fit, otherwise int64.

        Raises:
            ValueError: another number of fields, or a value that its field does not have.
        """
        if features.shape[-1] != len(self.sizes):
            raise ValueError(f"expected {len(self.sizes)} fields, got {features.shape[-1]}")
        digits = features.astype(np.int64) - np.array(self.least, np.int64)
        wrong = (digits < 0) | (digits >= np.array(self.sizes, np.int64)) | (digits + self.least != features)
        if wrong.any():
            field = int(np.argwhere(wrong)[0, -1])
            last = self.least[field] + self.sizes[field] - 1
            raise ValueError(f"field {field}: expected integers from {self.least[field]} to {last}, "
                             f"got {features[wrong][0]}")  # fmt: skip
        packed = np.zeros((*features.shape[:-1], len(self.groups)), np.int64)
        for word, fields in enumerate(self._fields()):
            for field in reversed(fields):
                packed[..., word] = packed[..., word] * self.sizes[field] + digits[..., field]
        return packed.astype(self._dtype())

    def unpack(self, packed: np.ndarray) -> np.ndarray:
        """Features ``[..., D]``, int64, of integers ``[..., W]``."""
        features = np.empty((*packed.shape[:-1], len(self.sizes)), np.int64)
        for word, fields in enumerate(self._fields()):
            rest = packed[..., word].astype(np.int64)
            for field in fields:
                rest, features[..., field] = np.divmod(rest, self.sizes[field])
        return features + np.array(self.least, np.int64)

    def _fields(self) -> list[range]:
        ends = np.cumsum(self.groups)
        return [range(end - count, end) for end, count in zip(ends, self.groups)]

    def _dtype(self) -> type[np.signedinteger]:
        products = [np.prod([float(self.sizes[field]) for field in fields]) for fields in self._fields()]
        return np.int32 if max(products, default=1.0) <= 2.0**31 else np.int64
