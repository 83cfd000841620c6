"""What models assert, in a module whose assertions pytest leaves as they are."""

import torch


class OwnError(Exception):
    pass


def is_true(h, edge_index):
    assert torch.isfinite(h).all()


def is_not_true(h, edge_index):
    assert not torch.isnan(h).any(), "NaN in h"


def single_number(h, edge_index):
    assert torch.isfinite(h).all().item(), "not finite"


def not_a_single_number(h, edge_index):
    assert not bool(h.isnan().any())


def greatest_number(h, edge_index):
    assert edge_index.max().item() + 1 < 9 and edge_index.min() >= 0, "ends"


def equal_numbers(h, edge_index):
    assert edge_index[0, 0].item() == 3


def of_floats(h, edge_index):
    assert h.abs().max().item() < 1e300, "large"


def message_of_data(h, edge_index):
    assert torch.isfinite(h).all(), f"{h.isnan().sum()} of {len(h)}"


def raises(h, edge_index):
    if torch.isnan(h).any():
        name = type(h).__name__
        raise OwnError(f"{name}: {h.isnan().sum()}")


def raises_otherwise(h, edge_index):
    if torch.isfinite(h).all():
        return
    raise OwnError


def raises_in_a_loop(h, edge_index):
    for column in range(3):
        if h[:, column].isnan().any().item():
            raise OwnError(column)


def named_like_none(h, edge_index):
    assert not h.isnan().any(), "assertion error"


def before_it_changes(h, edge_index):
    greatest = edge_index.max()
    number = greatest.item()
    greatest.zero_()
    assert number < 9, "number"


def caught(h, edge_index):
    try:
        assert not h.isnan().any(), "NaN"
    except AssertionError:
        h.zero_()


def behind_a_break(h, edge_index):
    print(end="")
    assert not h.isnan().any(), "NaN"


def raises_behind_a_change(h, edge_index):
    if h.isnan().any():
        raise OwnError("NaN")
    edge_index.add_(1)


def raises_between_changes(h, edge_index):
    edge_index.add_(1)
    if h.isnan().any():
        raise OwnError("NaN")
    edge_index.sub_(1)


CHECKS = [is_true, is_not_true, single_number, not_a_single_number, greatest_number, equal_numbers, of_floats,
          message_of_data, raises, raises_otherwise, raises_in_a_loop, named_like_none, before_it_changes]  # fmt: skip
ODD = [caught, behind_a_break, raises_behind_a_change, raises_between_changes]
"""What graphs of their own, or PyTorch, are for."""
