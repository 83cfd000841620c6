"""Recurrent cells, and short sequences of them: one for each step, layer and direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .declare import decomposes, part

_aten = torch.ops.aten


@decomposes(_aten.gru_cell.default)
def _gru_cell(x: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
              b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """Of as many rows as only data say: PyTorch's own compares them."""
    ofx, ofh = F.linear(x, w_ih, b_ih), F.linear(hidden, w_hh, b_hh)
    size = hidden.shape[1]
    reset, update = ((part(ofx, 1, begin, begin + size) + part(ofh, 1, begin, begin + size)).sigmoid()
                     for begin in (0, size))  # fmt: skip
    new = (part(ofx, 1, 2 * size, 3 * size) + reset * part(ofh, 1, 2 * size, 3 * size)).tanh()
    return (hidden - new) * update + new


@decomposes(_aten.lstm_cell.default)
def _lstm_cell(x: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
               b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    hidden, cell = hx
    gates = F.linear(x, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)
    size = hidden.shape[1]
    keep, forget, new, out = (part(gates, 1, begin, begin + size) for begin in range(0, 4 * size, size))
    cell = forget.sigmoid() * cell + keep.sigmoid() * new.tanh()
    return out.sigmoid() * cell.tanh(), cell


@decomposes(_aten.rnn_tanh_cell.default)
def _tanh_cell(x: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
               b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    return (F.linear(x, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)).tanh()


@decomposes(_aten.rnn_relu_cell.default)
def _relu_cell(x: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
               b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    return (F.linear(x, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)).relu()


MOST_CELLS = 16
"""More are PyTorch's: each is code of its own here."""

Cell = Callable[[Tensor, list[Tensor], list[Tensor]], list[Tensor]]
"""New states, the first of which is the result, of a step of the input, states, and weights."""


@decomposes(_aten.gru.input)
def _gru(x: Tensor, hidden: Tensor, weights: Sequence[Tensor], has_biases: bool, *settings: Any) -> Any:
    return _run(x, [hidden], weights, has_biases, *settings, cell=lambda step, states, of_cell: [
        _gru_cell(step, *states, *of_cell)])  # fmt: skip


@decomposes(_aten.lstm.input)
def _lstm(x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], has_biases: bool, *settings: Any) -> Any:
    if states[0].shape[-1] != states[1].shape[-1]:  # a projection
        return NotImplemented
    return _run(x, states, weights, has_biases, *settings, cell=lambda step, states, of_cell: list(
        _lstm_cell(step, states, *of_cell)))  # fmt: skip


@decomposes(_aten.rnn_tanh.input)
def _rnn_tanh(x: Tensor, hidden: Tensor, weights: Sequence[Tensor], has_biases: bool, *settings: Any) -> Any:
    return _run(x, [hidden], weights, has_biases, *settings, cell=lambda step, states, of_cell: [
        _plain_cell(step, *states, *of_cell).tanh()])  # fmt: skip


@decomposes(_aten.rnn_relu.input)
def _rnn_relu(x: Tensor, hidden: Tensor, weights: Sequence[Tensor], has_biases: bool, *settings: Any) -> Any:
    return _run(x, [hidden], weights, has_biases, *settings, cell=lambda step, states, of_cell: [
        _plain_cell(step, *states, *of_cell).relu()])  # fmt: skip


def _plain_cell(x: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
                b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    return F.linear(x, w_ih, b_ih) + F.linear(hidden, w_hh, b_hh)


def _run(x: Tensor, states: Sequence[Tensor], weights: Sequence[Tensor], has_biases: bool, num_layers: int,
         dropout: float, train: bool, bidirectional: bool, batch_first: bool, *, cell: Cell) -> Any:  # fmt: skip
    """The states behind the last layer at each step, and the last ones of all layers."""
    time, directions = 1 if batch_first else 0, 2 if bidirectional else 1
    num_steps, of_cell = x.shape[time], 4 if has_biases else 2
    is_known = isinstance(num_steps, int) and 0 < num_steps * num_layers * directions <= MOST_CELLS
    if not is_known or (train and dropout and num_layers > 1) or len(weights) != num_layers * directions * of_cell:
        return NotImplemented
    steps = [x.select(time, number) for number in range(num_steps)]
    last: list[list[Tensor]] = []
    for layer in range(num_layers):
        results = []
        for direction in range(directions):
            number = layer * directions + direction
            now = [state.select(0, number) for state in states]
            order = range(num_steps) if direction == 0 else reversed(range(num_steps))
            behind = {}
            for step in order:
                now = cell(steps[step], now, list(weights[number * of_cell : (number + 1) * of_cell]))
                behind[step] = now[0]
            results.append(behind)
            last.append(now)
        steps = [torch.cat([behind[step] for behind in results], -1) if bidirectional else results[0][step]
                 for step in range(num_steps)]  # fmt: skip
    return torch.stack(steps, time), *(torch.stack(of_state) for of_state in zip(*last))
