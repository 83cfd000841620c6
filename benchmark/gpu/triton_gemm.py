"""A segment GEMM in Triton, one launch for all types: rows sorted by type, a weight for each; and its gradients."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS, COLUMNS, DEPTH = 64, 64, 32  # of a tile


@triton.jit
def multiply_kernel(x, w, y, tile_type, tile_row, offsets, depth, columns, x_row, w_type, w_row, w_column,
                    rows: tl.constexpr, width: tl.constexpr, step: tl.constexpr):  # fmt: skip
    """A tile of rows of one type times its weight; the strides of the weight say whether it is transposed."""
    tile = tl.program_id(0)
    kind = tl.load(tile_type + tile)
    row = tl.load(tile_row + tile) + tl.arange(0, rows)
    end = tl.load(offsets + kind + 1)
    column = tl.program_id(1) * width + tl.arange(0, width)
    total = tl.zeros((rows, width), tl.float32)
    for start in range(0, depth, step):
        k = start + tl.arange(0, step)
        left = tl.load(x + row[:, None] * x_row + k[None, :], (row[:, None] < end) & (k[None, :] < depth), 0.0)
        right = tl.load(w + kind * w_type + k[:, None] * w_row + column[None, :] * w_column,
                        (k[:, None] < depth) & (column[None, :] < columns), 0.0)  # fmt: skip
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(y + row[:, None] * columns + column[None, :], total,
             (row[:, None] < end) & (column[None, :] < columns))  # fmt: skip


@triton.jit
def outer_kernel(x, dy, dw, offsets, depth, columns,
                 rows: tl.constexpr, width: tl.constexpr, step: tl.constexpr):  # fmt: skip
    """A tile of the gradient of one type's weight: a sum over the rows of the type."""
    kind = tl.program_id(0).to(tl.int64)
    k = tl.program_id(1) * step + tl.arange(0, step)
    column = tl.program_id(2) * width + tl.arange(0, width)
    begin, end = tl.load(offsets + kind), tl.load(offsets + kind + 1)
    total = tl.zeros((step, width), tl.float32)
    for start in range(begin, end, rows):
        row = start + tl.arange(0, rows)
        left = tl.load(x + row[None, :] * depth + k[:, None], (row[None, :] < end) & (k[:, None] < depth), 0.0)
        right = tl.load(dy + row[:, None] * columns + column[None, :],
                        (row[:, None] < end) & (column[None, :] < columns), 0.0)  # fmt: skip
        total += tl.dot(left, right, input_precision="ieee")
    place = dw + kind * depth * columns + k[:, None] * columns + column[None, :]
    tl.store(place, total, (k[:, None] < depth) & (column[None, :] < columns))


class Tiles:
    """Which type and first row each tile has; made once per graph."""

    def __init__(self, offsets: list[int], device: torch.device):
        sizes = torch.tensor(offsets).diff()
        counts = (sizes + ROWS - 1) // ROWS
        kinds = torch.repeat_interleave(torch.arange(len(sizes)), counts)
        firsts = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
        rows = torch.tensor(offsets)[kinds] + ROWS * (torch.arange(len(kinds)) - firsts)
        self.kind, self.row, self.offsets = (part.to(device) for part in (kinds, rows, torch.tensor(offsets)))


def multiply(x: Tensor, w: Tensor, tiles: Tiles) -> Tensor:
    _, depth, columns = w.shape
    y = x.new_empty(x.shape[0], columns)
    if len(tiles.kind):
        multiply_kernel[len(tiles.kind), triton.cdiv(columns, COLUMNS)](
            x, w, y, tiles.kind, tiles.row, tiles.offsets, depth, columns, x.stride(0), *w.stride(),
            ROWS, COLUMNS, DEPTH,
        )  # fmt: skip
    return y


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, tiles):
        ctx.save_for_backward(x, w)
        ctx.tiles = tiles
        return multiply(x, w, tiles)

    @staticmethod
    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        dy = dy.contiguous()
        dx = multiply(dy, w.transpose(1, 2), ctx.tiles) if ctx.needs_input_grad[0] else None
        dw = torch.empty_like(w)
        kinds, depth, columns = w.shape
        outer_kernel[kinds, triton.cdiv(depth, DEPTH), triton.cdiv(columns, COLUMNS)](
            x, dy, dw, ctx.tiles.offsets, depth, columns, ROWS, COLUMNS, DEPTH
        )
        return dx, dw, None


class SegmentGemm:
    """Keeps the tiles of the edges that it has seen, by their offsets."""

    def __init__(self):
        self._tiles: dict[int, tuple[list[int], Tiles]] = {}

    def multiply(self, rows: Tensor, weight: Tensor, offsets: list[int]) -> Tensor:
        if id(offsets) not in self._tiles:  # the list is kept, so that its id stays its own
            self._tiles[id(offsets)] = offsets, Tiles(offsets, rows.device)
        return _Product.apply(rows.contiguous(), weight, self._tiles[id(offsets)][1])
