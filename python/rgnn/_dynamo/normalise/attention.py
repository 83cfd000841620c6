"""Attention among the few entries of each row, such as a node's hops, as the products that it is made of."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch.fx import Graph, Node

from ..expressions import is_symbolic
from ..functional import fake_mode, value_of
from .emit import call

_MAX_ENTRIES = 64


def write_attention(graph: Graph) -> None:
    """``F.multi_head_attention_forward`` of ``[L, N, F]``, as ``nn.MultiheadAttention`` calls it,
    ``F.scaled_dot_product_attention`` of ``[N, H, L, D]``, and the fused layer of ``nn.TransformerEncoderLayer`` in
    evaluation, where there are symbolically many rows ``N`` and few entries ``L``."""
    for node in list(graph.nodes):
        rewrite = _REWRITES.get(node.target) if node.op == "call_function" else None
        if rewrite is None:
            continue
        environment = fake_mode([value_of(given) for given in node.all_input_nodes]).shape_env
        # Products ask whether there are rows; sizes do not depend on it.
        with graph.inserting_before(node), environment.suppress_guards() if environment else nullcontext():
            made = rewrite(graph, node)
        if made is not None:
            _replace(graph, node, made)


def _multi_head(graph: Graph, node: Node) -> tuple[Node, Node | None] | None:
    given = _bind(F.multi_head_attention_forward, node)
    tensors = [given[name] for name in ("query", "key", "value")]
    if any(given[name] is not None for name in ("bias_k", "bias_v", "static_k", "static_v")):
        return None
    if given["add_zero_attn"] or not all(_has_entries(tensor, 0, 1) for tensor in tensors):
        return None
    mask, padding, width = given["attn_mask"], given["key_padding_mask"], value_of(tensors[0]).shape[-1]
    if mask is not None and not _is_shared(mask):
        return None
    masks = [] if mask is None else [mask]
    if padding is not None:  # [N, S]
        masks.append(call(graph, node, "unsqueeze", call(graph, node, "unsqueeze", padding, 1), 1))
    rows = {tensor: _rows_first(graph, node, tensor) for tensor in dict.fromkeys(tensors)}
    bias = given["in_proj_bias"]
    if given["use_separate_proj_weight"]:
        weights = [given[f"{name}_proj_weight"] for name in "qkv"]
    else:
        weights = [_part(graph, node, given["in_proj_weight"], number, width) for number in range(3)]
    biases = [None if bias is None else _part(graph, node, bias, number, width) for number in range(3)]
    heads = [_split_heads(graph, node, call(graph, node, F.linear, rows[tensor], weight, bias), given["num_heads"])
             for tensor, weight, bias in zip(tensors, weights, biases)]  # fmt: skip
    dropout = given["dropout_p"] if given["training"] else 0.0
    out, shares = _attend(graph, node, *heads, masks, dropout)
    out = call(graph, node, F.linear, _join_heads(graph, node, out), given["out_proj_weight"], given["out_proj_bias"])
    if not given["need_weights"]:
        shares = None
    elif given["average_attn_weights"]:
        shares = call(graph, node, torch.mean, shares, 1)
    return call(graph, node, torch.transpose, out, 0, 1), shares


def _scaled_dot_product(graph: Graph, node: Node) -> Node | None:
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
    given = dict(zip(names, node.args), **node.kwargs)
    tensors, mask = [given[name] for name in names[:3]], given.get("attn_mask")
    if given.get("enable_gqa") or mask is not None and not _is_shared(mask):
        return None
    rank = value_of(tensors[0]).dim()
    if rank < 3 or not all(value_of(tensor).dim() == rank and _has_entries(tensor, rank - 2, 0) for tensor in tensors):
        return None
    if mask is not None and not value_of(mask).is_floating_point():  # says what is read, where others say what is not
        mask = call(graph, node, torch.logical_not, mask)
    masks = [] if mask is None else [mask]
    if given.get("is_causal"):
        shape = [value_of(tensor).shape[-2] for tensor in tensors[:2]]
        ones = call(graph, node, torch.ones, shape, dtype=torch.bool, device=value_of(tensors[0]).device)
        masks.append(call(graph, node, torch.triu, ones, 1))  # what is behind an entry is not read
    return _attend(graph, node, *tensors, masks, given.get("dropout_p") or 0.0, given.get("scale"))[0]


def _encoder_layer(graph: Graph, node: Node) -> Node | None:
    given = dict(zip(_ENCODER_LAYER, node.args), **node.kwargs)
    src = given["src"]
    if given.get("mask") is not None or not _has_entries(src, 1, 0):
        return None

    def attend(x: Node) -> Node:
        width = value_of(x).shape[-1]
        projected = call(graph, node, F.linear, x, given["qkv_weight"], given["qkv_bias"])
        heads = [_split_heads(graph, node, _part(graph, node, projected, number, width, -1), given["num_heads"])
                 for number in range(3)]  # fmt: skip
        out, _ = _attend(graph, node, *heads)
        return call(graph, node, F.linear, _join_heads(graph, node, out), given["proj_weight"], given["proj_bias"])

    def feed_forward(x: Node) -> Node:
        hidden = call(graph, node, F.linear, x, given["ffn_weight_1"], given["ffn_bias_1"])
        hidden = call(graph, node, F.gelu if given["use_gelu"] else F.relu, hidden)
        return call(graph, node, F.linear, hidden, given["ffn_weight_2"], given["ffn_bias_2"])

    def norm(x: Node, number: int) -> Node:
        weight, bias = given[f"norm_weight_{number}"], given[f"norm_bias_{number}"]
        return call(graph, node, F.layer_norm, x, (given["embed_dim"],), weight, bias, given["eps"])

    x = src
    for number, block in enumerate((attend, feed_forward), 1):
        if given["norm_first"]:
            x = call(graph, node, torch.add, x, block(norm(x, number)))
        else:
            x = norm(call(graph, node, torch.add, x, block(x)), number)
    return x


_ENCODER_LAYER = ("src", "embed_dim", "num_heads", "qkv_weight", "qkv_bias", "proj_weight", "proj_bias", "use_gelu",
                  "norm_first", "eps", "norm_weight_1", "norm_bias_1", "norm_weight_2", "norm_bias_2", "ffn_weight_1",
                  "ffn_bias_1", "ffn_weight_2", "ffn_bias_2", "mask", "mask_type")  # fmt: skip
_REWRITES = {
    F.multi_head_attention_forward: _multi_head,
    F.scaled_dot_product_attention: _scaled_dot_product,
    torch._transformer_encoder_layer_fwd: _encoder_layer,
}


def _attend(graph: Graph, node: Node, query: Node, key: Node, value: Node, masks: Sequence[Node] = (),
            dropout: float = 0.0, scale: float | None = None) -> tuple[Node, Node]:  # fmt: skip
    """What each entry of ``query``, ``[..., L, D]``, reads of all of ``value``, and the shares, ``[..., L, S]``.

    Args:
        masks: numbers that are added to scores, and truths of those that are not read.
    """
    scale = 1.0 / math.sqrt(value_of(query).shape[-1]) if scale is None else scale
    turned = call(graph, node, torch.transpose, key, -1, -2)
    scores = call(graph, node, torch.mul, call(graph, node, torch.matmul, query, turned), scale)
    for mask in masks:
        is_added = value_of(mask).is_floating_point()
        scores = (call(graph, node, torch.add, scores, mask) if is_added
                  else call(graph, node, "masked_fill", scores, mask, -math.inf))  # fmt: skip
    shares = call(graph, node, torch.softmax, scores, -1)
    if dropout:
        shares = call(graph, node, F.dropout, shares, dropout, True)
    return call(graph, node, torch.matmul, shares, value), shares


def _split_heads(graph: Graph, node: Node, x: Node, heads: int) -> Node:
    """``[N, L, H D]`` as ``[N, H, L, D]``."""
    parts = call(graph, node, "unflatten", x, -1, (heads, value_of(x).shape[-1] // heads))
    return call(graph, node, torch.transpose, parts, 1, 2)


def _join_heads(graph: Graph, node: Node, x: Node) -> Node:
    """``[N, H, L, D]`` as ``[N, L, H D]``."""
    return call(graph, node, torch.flatten, call(graph, node, torch.transpose, x, 1, 2), -2)


def _rows_first(graph: Graph, node: Node, x: Node) -> Node:
    return x.args[0] if _is_turn(x) else call(graph, node, torch.transpose, x, 0, 1)


def _part(graph: Graph, node: Node, x: Node, number: int, width: int, dim: int = 0) -> Node:
    return call(graph, node, torch.narrow, x, dim, number * width, width)


def _has_entries(x: Node, entries: int, rows: int) -> bool:
    """Whether the sizes of a tensor are numbers but for those of its rows, and its entries few."""
    value = value_of(x)
    if value.is_nested or value.dim() < 3 or not is_symbolic(value.shape[rows]):
        return False
    others = [size for dim, size in enumerate(value.shape) if dim != rows]
    return not any(map(is_symbolic, others)) and 0 < value.shape[entries] <= _MAX_ENTRIES


def _is_shared(mask: Node) -> bool:
    """Whether all rows have the same mask, ``[L, S]``."""
    value = value_of(mask)
    return value.dim() == 2 and not any(map(is_symbolic, value.shape))


def _bind(function: Any, node: Node) -> dict[str, Any]:
    bound = inspect.signature(function).bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    return bound.arguments


def _replace(graph: Graph, node: Node, made: Node | tuple[Node, Node | None]) -> None:
    """Has readers of a node read what does its work; of several results, each by its number."""
    if isinstance(made, Node):
        node.replace_all_uses_with(made)
    else:
        for pick in list(node.users):
            if (result := made[pick.args[1]]) is not None:
                pick.replace_all_uses_with(result)
            graph.erase_node(pick)
    graph.erase_node(node)
    turned = made[0] if isinstance(made, tuple) else made
    for reader in [reader for reader in turned.users if _is_turn(turned) and _is_turn(reader)]:
        reader.replace_all_uses_with(turned.args[0])
        graph.erase_node(reader)


def _is_turn(x: Node) -> bool:
    """Whether a node exchanges entries and rows."""
    return x.target in ("transpose", torch.transpose) and not x.kwargs and sorted(x.args[1:]) == [0, 1]
