"""What one run of a kernel does."""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """One run of a kernel.

    Attributes:
        name: its template, "gemm", "outer_sum", "traverse", "rank" or "concat".
        dtype: the element type of what it writes, "float32".
        rows, inner_rows: outer rows and inner ones, such as nodes and their incoming edges.
        bytes_read, bytes_written: as often as they are.
        bytes_needed: those that pass if memory is read once.
        operations: on floats; a product with an addition is two.
    """

    name: str
    dtype: str
    rows: int
    inner_rows: int
    bytes_read: int
    bytes_written: int
    bytes_needed: int
    operations: int
