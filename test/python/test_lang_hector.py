"""Hector's models, written as it writes them."""

import inspect

import pytest
from lang_checks import R, T, check, tensor
from lang_models import hgt, hgt_twin, rgat, rgat_twin, rgcn, rgcn_twin


def test_rgcn():
    check(rgcn, rgcn_twin, lambda nodes, edges: {
        "h": tensor(nodes, 4), "norm": tensor(edges, 1), "w": tensor(R, 4, 3), "w0": tensor(4, 3), "b": tensor(3)})


@pytest.mark.parametrize("heads, width", [(1, 4), (2, 3)])
def test_rgat(heads, width):
    check(rgat, rgat_twin, lambda nodes, edges: {
        "h": tensor(nodes, 4), "w": tensor(R, 4, heads * width), "left": tensor(R, heads, width),
        "right": tensor(R, heads, width, seed=1)})


@pytest.mark.parametrize("heads, width", [(1, 4), (2, 3)])
def test_hgt(heads, width):
    all_heads = heads * width
    check(hgt, hgt_twin, lambda nodes, edges: {
        "h": tensor(nodes, 4), **{name: tensor(T, 4, all_heads, seed=seed) for seed, name in enumerate("kqv")},
        "att": tensor(R, heads, width, width), "msg": tensor(R, heads, width, width, seed=1), "mu": tensor(R, heads),
        "out": tensor(T, all_heads, 4), "skip": tensor(T, 1)})


def test_they_take_at_most_42_lines():
    lines = [line for model in (rgcn, rgat, hgt) for line in inspect.getsource(model.__wrapped__).splitlines() if line]
    assert len(lines) <= 42
