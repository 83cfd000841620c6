"""Rewrites of TorchDynamo's graph before it is parted: each leaves what it computes as it was."""

from __future__ import annotations

from collections.abc import Collection

from torch.fx import GraphModule

from .assignments import change_apart, write_assignments
from .attention import write_attention
from .bags import write_bags
from .batch_norm import split_batch_norms
from .complex import write_complex
from .contexts import leave_no_grad
from .detached import detach_apart
from .draws import draw_by_sizes
from .dropout import note_orders, split_dropout
from .dtypes import name_dtypes
from .fresh import write_new_values
from .integers import copy_changed, share_integers
from .largest import mark_largest
from .losses import write_losses
from .own_backward import write_own_backwards
from .plain_calls import write_plainly
from .products import drop_ones, split_einsums, turn_twice, write_products
from .repeated import merge_repeated
from .rows.behind import set_rows_behind
from .rows.blocks import part_blocks
from .rows.columns import list_columns
from .rows.filled import repeat_added_rows, repeat_rows
from .rows.first import bring_rows_first
from .rows.given import set_views_aside
from .rows.joined_heads import part_heads
from .rows.lists import list_rows
from .rows.masks import fill_by_masks, set_by_masks, take_numbers
from .rows.merged import leave_rows_apart
from .rows.ordered import pick_in_order
from .rows.padded import fill_up_rows
from .rows.pairs import list_pairs
from .rows.parts import part_before
from .rows.picked_columns import pick_columns
from .rows.reduced import reduce_all_rows
from .rows.single import add_once
from .rows.spread import spread_lists
from .rows.tables import flatten_tables
from .shapes import (
    drop_empty_parts,
    drop_trivial_checks,
    fill_by_sizes,
    keep_rows,
    name_dimensions,
    spread_shapes,
    take_counts,
    take_sizes_from_inputs,
)


def normalise(module: GraphModule, left: Collection[str] = ()) -> None:
    """Makes what is computed without gradients detached values, what is computed twice one value, sizes come from the
    graph's inputs, dropout a product with a mask that is drawn apart, what is set by a mask a tensor that is filled,
    and shapes lists of sizes.

    Args:
        left: names of nodes that PyTorch runs, to which rows are where they were.
    """
    write_own_backwards(module)
    leave_no_grad(module.graph)
    write_plainly(module.graph)
    detach_apart(module.graph)
    views = set_views_aside(module.graph)
    copy_changed(module.graph)
    spread_lists(module.graph)
    write_complex(module.graph)
    write_bags(module.graph)
    fill_up_rows(module.graph)
    part_heads(module.graph)
    pick_in_order(module.graph)
    flatten_tables(module.graph)
    leave_rows_apart(module.graph)
    part_blocks(module.graph)
    draw_by_sizes(module.graph)
    change_apart(module.graph)
    set_by_masks(module.graph)
    part_before(module.graph)
    write_new_values(module.graph)
    merge_repeated(module.graph)
    share_integers(module.graph)
    note_orders(module.graph)
    mark_largest(module.graph)
    write_attention(module.graph)
    add_once(module.graph)
    bring_rows_first(module.graph, left)
    name_dtypes(module.graph)
    write_losses(module.graph)
    reduce_all_rows(module.graph)
    set_rows_behind(module.graph)
    list_pairs(module.graph)
    pick_columns(module.graph)
    list_columns(module.graph)
    list_rows(module.graph)
    repeat_rows(module.graph)
    repeat_added_rows(module.graph)
    write_assignments(module.graph)
    split_batch_norms(module.graph)
    symbols = take_sizes_from_inputs(module.graph)
    split_dropout(module.graph, symbols)
    fill_by_masks(module.graph)
    take_numbers(module.graph)
    fill_by_sizes(module.graph)
    take_counts(module.graph)
    drop_empty_parts(module.graph)
    drop_ones(module.graph)
    split_einsums(module.graph)
    turn_twice(module.graph)
    write_products(module.graph)
    spread_shapes(module.graph, symbols)
    name_dimensions(module.graph)
    keep_rows(module.graph)
    drop_trivial_checks(module.graph)
    views.put_back(module.graph)
    module.graph.lint()
    module.recompile()
