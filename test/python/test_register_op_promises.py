"""What is said of operators of users is looked at: when they are registered, called, captured and verified."""

import re

import pytest
import rgnn
import torch
from own_ops import Net, inputs, mix
from pyg import close, rows
from torch import Tensor, nn
from torch_geometric import utils

pytestmark = pytest.mark.usefixtures("strict")


def sine(x: Tensor) -> Tensor:
    return x.sin()


@torch.library.custom_op("rgnn_test::known", mutates_args=())
def known(x: Tensor) -> Tensor:
    return x.sin() * 2


library = torch.library.Library("rgnn_test_promises", "DEF")
library.define("bare(Tensor x) -> Tensor")
library.define("change(Tensor(a!) x) -> ()")
library.define("two(Tensor x) -> Tensor")
library.define("two.Scalar(Tensor x, Scalar y) -> Tensor")


# ---- errors ----------------------------------------------------------------------------------------------------------


def plain(x: Tensor, index: Tensor, weight: Tensor, count: int) -> Tensor:
    return x


@pytest.mark.parametrize("more, message", [
    ({"rows": "row"}, "rows: expected one of 'each', 'group', 'sum', 'mean', 'max', 'min', 'reduce', 'any', got 'row'"),
    ({"rows": "sum", "size": "count"}, "index: expected the name of a list of integers for rows='sum', got none"),
    ({"rows": "sum", "index": "index"}, "size: expected the name of a number or a tensor for rows='sum', got none"),
    ({"rows": "each", "size": "count"}, "size: expected none for rows='each', got 'count'"),
    ({"rows": "any", "index": "index"}, "index: expected none for rows='any', got 'index'"),
    ({"rows": "group", "index": "count"}, "index: expected the name of a list of integers, one of x, index, weight"),
    ({"rows": "each", "shared": "y"}, "shared: expected the name of a tensor, one of x, index, weight, got 'y'"),
    ({"rows": "each", "shared": ("x", "index", "weight")}, "rows: expected an argument that has rows, got none"),
    ({"rows": "any"}, "fake: expected a function that gives the shapes of rows='any', got none"),
    ({"rows": "each", "setup_context": plain}, "setup_context: expected a backward beside it, got none"),
])  # fmt: skip
def test_wrong_movements(more, message):
    with pytest.raises(ValueError, match=re.escape(f"rgnn_test::bad: {message}")):
        rgnn.register_op("rgnn_test::bad", plain, **more)


def test_wrong_functions():
    def register(function, name="rgnn_test::bad", **more):
        return rgnn.register_op(name, function, rows="each", **more)

    with pytest.raises(TypeError, match="expected a Python function or a subclass of torch.autograd.Function, got the "
                                        "class Linear"):  # fmt: skip
        register(nn.Linear)
    with pytest.raises(TypeError, match="expected a Python function or a subclass of torch.autograd.Function, got int"):
        register(3)
    with pytest.raises(TypeError, match="rgnn_test::bad: expected a function whose arguments and results have types.*x "
                                        "must have a type"):  # fmt: skip
        register(lambda x: x)

    def gives_number(x: Tensor) -> int:
        return 1

    with pytest.raises(TypeError, match="expected a tensor or a tuple of tensors as its result, got int"):
        register(gives_number)
    with pytest.raises(ValueError, match="fake: expected a function that gives the shapes of 2 results, got none"):
        register(_two)
    with pytest.raises(TypeError, match="lowering: expected a function, got str"):
        register(sine, lowering="x.sin()")
    with pytest.raises(ValueError, match="expected a name such as 'mylib::soft_clip', got 'rgnn_test::größe'"):
        rgnn.register_op("rgnn_test::größe", rows="each")
    with pytest.raises(ValueError, match="expected a name such as 'mylib::soft_clip', got 'bad'"):
        register(sine, "bad")
    with pytest.raises(ValueError, match="aten::bad: expected a namespace of your own, got 'aten'"):
        register(sine, "aten::bad")
    with pytest.raises(TypeError, match="expected a name such as .*, or an operator of PyTorch, got sin"):
        rgnn.register_op(torch.sin, rows="each")


def _two(x: Tensor) -> tuple[Tensor, Tensor]:
    return x, x


def test_name_clashes():
    message = r"expected a name that no operator has, for sine \(.*\.py:\d+\); it is that of clip \(.*\.py:\d+\)"
    with pytest.raises(ValueError, match=f"rgnn_test::clip: {message}"):
        rgnn.register_op("rgnn_test::clip", sine, rows="each")
    with pytest.raises(ValueError, match="rgnn_test::known: expected a name that no operator has, for sine"):
        rgnn.register_op("rgnn_test::known", sine, rows="each")
    with pytest.raises(ValueError, match="rgnn_test_promises::bare: expected a name that no operator has, for sine"):
        rgnn.register_op("rgnn_test_promises::bare", rows="each")(sine)
    with pytest.raises(ValueError, match="expected an operator of your own, got one that the compiler knows itself"):
        rgnn.register_op(torch.ops.aten.sin.default, rows="each")
    with pytest.raises(ValueError, match="expected one of its overloads, .*, got all"):
        rgnn.register_op("rgnn_test_promises::two", rows="each")
    with pytest.raises(ValueError, match="expected an operator that changes no argument"):
        rgnn.register_op("rgnn_test_promises::change", rows="each")
    with pytest.raises(ValueError, match="rgnn_test::known: backward: expected none"):
        known.register_autograd(lambda ctx, gradient: gradient)
        rgnn.register_op(known, rows="each", backward=torch.sin)


def test_wrong_rows():
    """What has other rows than promised is named, in PyTorch and in compiled models."""

    @rgnn.register_op("rgnn_test::narrow", rows="each")
    def narrow(x: Tensor) -> Tensor:
        return x[:, :2].contiguous()

    @rgnn.register_op("rgnn_test::short", rows="each", fake=lambda x: torch.empty_like(x))
    def short(x: Tensor) -> Tensor:
        return x[1:].clone()

    message = r"expected a result \[4, 3\] of torch.float64, like an argument, got \[4, 2\] of torch.float64: fake="
    with pytest.raises(ValueError, match=f"rgnn_test::narrow: {message} gives other shapes"):
        narrow(rows(4, 3))
    message = r"rgnn_test::short: result: expected {} rows, by rows='each' and x, got \[{}, {}\]"
    with pytest.raises(ValueError, match=message.format(4, 3, 3)):
        short(rows(4, 3))
    with pytest.raises(ValueError, match=message.format(7, 6, 8)):
        rgnn.compile(Net(lambda net, x, edges: short(x)).double())(*inputs(7, 20))
    with pytest.raises(ValueError, match=r"rgnn_test::mix: y: expected 4 rows, as many as x has, got \[3, 3\]; tensors "
                                         "that all rows read are named by shared="):  # fmt: skip
        mix(rows(4, 3), [rows(3, 3)], rows(3, 3))


def test_changed_arguments():
    def twice(x: torch.Tensor, more: list[torch.Tensor]) -> torch.Tensor:
        more[0].mul_(2)
        return x + 1

    op = rgnn.register_op("rgnn_test::changes", twice, rows="each")
    with pytest.raises(ValueError, match=r"rgnn_test::changes: more\[0\]: expected an argument that the function"):
        op(torch.ones(3, 1), [torch.ones(3, 1)])


def test_wrong_fake():
    """Shapes that a capture is told are looked at when it is made."""

    @rgnn.register_op("rgnn_test::told", rows="each", fake=lambda x: x.new_empty(x.shape[0] + 1, 8))
    def told(x: Tensor) -> Tensor:
        return x.clone()

    with pytest.warns(UserWarning, match="rgnn_test::told: the result of fake=: expected"):
        rgnn.compile(Net(lambda net, x, edges: told(x)).double())(*inputs(7, 20))


# ---- lowerings -------------------------------------------------------------------------------------------------------


class Signed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


@pytest.mark.parametrize("lowering, message", [
    (lambda x: x[:, :4], "expected its lowering to give [7, 8] of torch.float64, got [7, 4] of torch.float64"),
    (lambda x: x.float(), "expected its lowering to give [7, 8] of torch.float64, got [7, 8] of torch.float32"),
    (lambda x: (x, x), "expected its lowering to give [7, 8] of torch.float64, got [7, 8] of torch.float64, [7, 8]"),
    (lambda x: 1 // 0, "its lowering raises ZeroDivisionError"),
    (lambda x: x * x.max().item(), "its lowering reads numbers of a tensor"),
    (lambda x: x + x.new_ones(len(x), 1), "its lowering makes the number 7 of a size that may change"),
    (lambda x: Signed.apply(x), "its lowering calls Signed, an autograd.Function"),
])  # fmt: skip
def test_wrong_lowerings(lowering, message):
    op = rgnn.register_op("rgnn_test::wrong", sine, rows="each", fake=torch.empty_like, lowering=lowering)
    model = Net(lambda net, x, edges: op(x)).double()
    message = re.escape(message).replace("\\[7,", r"\[s\d+,")
    with pytest.raises(rgnn.CompileError, match=r"test_register_op_promises.py:\d+: rgnn_test::wrong: " + message):
        rgnn.compile(model)(*inputs(7, 20))


# ---- verified --------------------------------------------------------------------------------------------------------


def summed(function):
    def compute(x: Tensor, index: Tensor, nodes: int) -> Tensor:
        return function(x, index, x.new_zeros(nodes, x.shape[1]))

    return compute


BROKEN = {
    "each": lambda x, index, zeros: x - x.mean(0),
    "each, or nothing": lambda x, index, zeros: x if len(x) == 30 else 1 // 0,
    "each, in order": lambda x, index, zeros: x.cumsum(0),
    "group": lambda x, index, zeros: x.softmax(0),
    "sum": lambda x, index, zeros: zeros.index_add(0, index, x).relu(),
    "sum, of 1": lambda x, index, zeros: zeros.index_add(0, index, x) + 1,
    "mean": lambda x, index, zeros: zeros.index_add(0, index, x),
    "max": lambda x, index, zeros: zeros.index_add(0, index, x),
    "reduce": lambda x, index, zeros: zeros.index_add(0, index, x) / max(len(x), 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_promises(name):
    kind = name.partition(",")[0]
    more = {"index": "index"} | ({} if kind in ("each", "group") else {"size": "nodes"})
    op = rgnn.register_op("rgnn_test::broken", summed(BROKEN[name]), rows=kind, **more)

    def body(net, x, edges):
        found = op(x[edges[0]], edges[1], x.shape[0])
        return found if "size" in more else x.new_zeros(x.shape[0], 8).index_add(0, edges[1], found)

    message = f"rgnn_test::broken: rows='{kind}' does not hold: .*(expected .*, got |raises ZeroDivisionError)"
    with pytest.raises(rgnn.VerificationError, match=message):
        rgnn.compile(Net(body).double(), fullgraph=True, verify=1)(*inputs(10, 30))


KEPT = {
    "mean": lambda x, index, zeros: utils.scatter(x.sin(), index, 0, len(zeros), "mean"),
    "max": lambda x, index, zeros: utils.scatter(x.sin(), index, 0, len(zeros), "max"),
    "min": lambda x, index, zeros: utils.scatter(x.sin(), index, 0, len(zeros), "min"),
}


@pytest.mark.parametrize("name", KEPT)
def test_reductions_hold(name):
    op = rgnn.register_op("rgnn_test::kept", summed(KEPT[name]), rows=name, index="index", size="nodes")
    model = Net(lambda net, x, edges: op(x[edges[0]], edges[1], x.shape[0])).double()
    compiled = rgnn.compile(model, fullgraph=True, verify=1)
    compiled(*inputs(10, 30))
    assert compiled._compiled_call_impl.runner.versions[-1].verified == 1


def test_other_lowering():
    op = rgnn.register_op("rgnn_test::other", sine, rows="each", lowering=torch.cos)
    model = Net(lambda net, x, edges: op(x)).double()
    with pytest.raises(rgnn.VerificationError, match="rgnn_test::other: its lowering gives something else: expected"):
        rgnn.compile(model, verify=1)(*inputs(7, 20))
    with pytest.warns(UserWarning, match="rgnn_test::other: its lowering .*; PyTorch's result is given"):
        close(rgnn.compile(model, verify="warn")(*inputs(7, 20)), model(*inputs(7, 20)))
