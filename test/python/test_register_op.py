"""Operators of users: captured whole, run by PyTorch between regions or lowered, and saved."""

import re

import numpy
import pytest
import rgnn
import torch
from own_ops import (
    BODIES,
    LOWERED,
    SIZES,
    Net,
    add_neighbours,
    check_calls,
    clip,
    clip_by_numpy,
    halves,
    inputs,
    lowered_clip,
    mix,
    old_relu,
    run,
)  # fmt: skip
from pyg import close, rows
from torch import Tensor

pytestmark = pytest.mark.usefixtures("strict")


# ---- run by PyTorch --------------------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", BODIES)
def test_between_regions(name):
    """It is captured whole, and what is around it compiled; no warning, and no error where the model is to be whole.
    Verified, it keeps what it promises."""
    torch.manual_seed(0)
    model = Net(BODIES[name]).double()
    compiled = rgnn.compile(model, fullgraph=True, verify=1)
    for version in check_calls(model, compiled):
        assert version.regions and not version.fallbacks and len(version.registered) == 1 and version.verified == 1


def test_inference_and_report():
    model = Net(BODIES["group"]).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in SIZES:
        with torch.no_grad():
            close(compiled(*inputs(nodes, edges)), model(*inputs(nodes, edges)))
    report = rgnn.explain(compiled, *inputs(10, 30))
    assert not report.fallbacks and report.kernels
    ((op, promise, where),) = report.registered
    assert op == "rgnn_test::normalise"
    assert promise == "rows='group': row i of its result depends on the rows of the same index"
    assert re.fullmatch(r"own_ops.py:\d+", where)
    assert f"runs in PyTorch, as registered:\n  {op} ({where}): {promise}" in str(report)
    assert "2 regions; registered: rgnn_test::normalise" in report.versions[-1]


def test_float32_by_the_backend():
    model = Net(BODIES["sum"])
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="rgnn", fullgraph=True, dynamic=True)
    check_calls(model, compiled, 1e-4, torch.float32, SIZES[:2])


def test_gradient_is_that_of_the_code():
    x = rows(5, 3).requires_grad_()
    for op in (clip, clip_by_numpy, lowered_clip):
        assert torch.autograd.gradcheck(op, (x, 1.5))
    assert torch.autograd.gradgradcheck(clip, (x, 1.5))
    assert torch.autograd.gradcheck(old_relu, x) and torch.autograd.gradcheck(halves, x)
    torch.library.opcheck(clip, (x, 1.5))
    torch.library.opcheck(mix, (x, [x, x], torch.eye(3, dtype=x.dtype, requires_grad=True)))


def test_missing_gradient():
    @rgnn.register_op("rgnn_test::no_gradient", rows="each")
    def no_gradient(x: Tensor) -> Tensor:
        return torch.from_numpy(numpy.sin(x.numpy()))

    model = Net(lambda net, x, edges: no_gradient(x)).double()
    compiled, given = rgnn.compile(model, fullgraph=True), inputs(7, 20)
    with torch.no_grad():
        close(compiled(*given), model(*given))
    out = compiled(*given)
    message = "expected a gradient, but autograd follows nothing of the function: give rgnn.register_op a backward="
    with pytest.raises(rgnn.TrainingError, match=f"rgnn_test::no_gradient: {message}"):
        out.sum().backward()


def test_result_is_its_own():
    """What gives its argument, a view of it, or other strides gives a tensor of its own, as captures were told."""

    @rgnn.register_op("rgnn_test::nothing", rows="each")
    def nothing(x: Tensor) -> Tensor:
        return x

    @rgnn.register_op("rgnn_test::turned", rows="each")
    def turned(x: Tensor) -> Tensor:
        return x.t().contiguous().t()

    x = rows(4, 3)
    assert nothing(x).data_ptr() != x.data_ptr() and turned(x).is_contiguous()
    for op in (nothing, turned):
        model = Net(lambda net, x, edges, op=op: op(x.relu())).double()
        check_calls(model, rgnn.compile(model, fullgraph=True), sizes=SIZES[:1])


def test_made_anew():
    """As a cell of a notebook is run again, with other code of the same name."""

    def declare(factor, **more):
        @rgnn.register_op("rgnn_test::again", rows="each", **more)
        def again(x: Tensor) -> Tensor:
            return x * factor

        return again

    x = rows(3, 2)
    close(declare(2.0)(x), 2 * x)
    close(declare(3.0)(x), 3 * x)
    model = Net(lambda net, x, edges: latest[0](x)).double()
    latest, compiled = [declare(4.0)], rgnn.compile(model, fullgraph=True)
    check_calls(model, compiled, sizes=SIZES[:1])
    latest[0] = declare(5.0, lowering=lambda x: x * 5)
    close(latest[0](x), 5 * x)
    check_calls(model, compiled, sizes=SIZES[:1])


def test_numbers_that_differ():
    """What reads a fraction that differs from call to call still changes nothing that others read."""

    class Limited(Net):
        def forward(self, x, edges, limit):
            x = add_neighbours(self.first(x), edges)
            return self.second(add_neighbours(clip(x, limit), edges) + x)

    model = Limited(None).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for limit in (0.5, 0.7, 0.9, 1.1):
        x, edges = inputs(7, 20)
        close(compiled(x, edges, limit), model(x, edges, limit))
    assert all(version.registered and version.regions for version in compiled._compiled_call_impl.runner.versions)


# ---- operators that are there ----------------------------------------------------------------------------------------


@torch.library.custom_op("rgnn_test::own", mutates_args=())
def own(x: Tensor) -> Tensor:
    return x.sin() * 2


library = torch.library.Library("rgnn_test_library", "DEF")
library.define("bare(Tensor x, *, float by=2.) -> Tensor")
library.impl("bare", lambda x, *, by=2.0: x.sin() * by, "CompositeExplicitAutograd")


def test_known_operators():
    """By name, or themselves; shapes and a gradient that they lack are those of the lowering."""
    assert rgnn.register_op(own, rows="each", lowering=lambda x: x.sin() * 2) is own
    rgnn.register_op("rgnn_test_library::bare", rows="each", lowering=lambda x, *, by: x.sin() * by)
    for op in (own, torch.ops.rgnn_test_library.bare):
        model = Net(lambda net, x, edges, op=op: op(x)).double()
        compiled = rgnn.compile(model, fullgraph=True)
        assert not any(version.registered for version in check_calls(model, compiled, sizes=SIZES[:2]))
    called = rgnn.register_op("rgnn_test_library::bare", rows="each")
    close(called(rows(3, 2), by=3.0), rows(3, 2).sin() * 3)
    model = Net(lambda net, x, edges: called(x, by=3.0)).double()
    compiled = rgnn.compile(model, fullgraph=True)
    version, *_ = check_calls(model, compiled, sizes=SIZES[:2])
    assert [op for op, *_ in version.registered] == ["rgnn_test_library::bare"]


# ---- lowered ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOWERED)
def test_lowered(name):
    model = Net(LOWERED[name]).double()
    compiled = rgnn.compile(model, fullgraph=True, verify=1)
    for version in check_calls(model, compiled):
        assert not version.fallbacks and not version.registered and len(version.regions) == 1
        assert "rgnn_test." not in version.texts[0]
    x = inputs(10, 30)[0].requires_grad_()
    first = [torch.autograd.grad(call(x, inputs(10, 30)[1]).square().sum(), x, create_graph=True)[0].square().sum()
             for call in (compiled, model)]  # fmt: skip
    torch.testing.assert_close(*[torch.autograd.grad(value, x)[0] for value in first], rtol=1e-10, atol=1e-10)


def test_lowering_in_float32_by_the_backend():
    model = Net(LOWERED["edges"])
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="rgnn", fullgraph=True, dynamic=True)
    check_calls(model, compiled, 1e-4, torch.float32, SIZES[:2])


def test_lowering_without_kernels():
    """PyTorch runs the operator, not what stands for it; it is no operator that PyTorch was meant to run."""
    ran = []

    def compute(x: Tensor) -> Tensor:
        ran.append(1)
        return x.cumsum(0)

    op = rgnn.register_op("rgnn_test::unliftable", compute, rows="each",
                          lowering=lambda x: x.sort(1)[0] * 0 + x.cumsum(0))  # fmt: skip
    model = Net(lambda net, x, edges: op(x)).double()
    with pytest.raises(rgnn.FallbackError, match=r"test_register_op.py:\d+: rgnn_test::unliftable: its lowering is not "
                                                 r"compiled: aten.\w+: no rule for it"):  # fmt: skip
        rgnn.compile(model, fullgraph=True)(*inputs(7, 20))
    compiled = rgnn.compile(model)
    with pytest.warns(UserWarning, match="rgnn_test::unliftable: its lowering is not compiled"):
        run(compiled, *inputs(7, 20))
    del ran[:]
    with torch.no_grad(), pytest.warns(UserWarning):
        compiled(*inputs(7, 20))
    assert ran == [1]
    check_calls(model, compiled, sizes=SIZES[:2])


# ---- saved and frozen ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [BODIES["reduce"], BODIES["its own gradient"], LOWERED["edges"]])
def test_saved(body, tmp_path):
    model = Net(body).double()
    compiled, given = rgnn.compile(model, fullgraph=True), inputs(10, 30)
    run(compiled, *given)
    compiled.save(tmp_path / "m.rgnn")
    loaded, frozen = rgnn.load(tmp_path / "m.rgnn"), compiled.freeze()
    for nodes, edges in SIZES[1:4]:
        given = inputs(nodes, edges)
        for other in (loaded, frozen):
            for got, expected in zip(run(other, *given), run(model, *given), strict=False):
                if got is not None and expected is not None:
                    close(got, expected)
    ops = [op for op, _ in rgnn.inspect(tmp_path / "m.rgnn").fallbacks if op.startswith("rgnn_test")]
    assert bool(ops) == (body not in LOWERED.values())


def test_saved_without_the_operator(tmp_path):
    own_library = torch.library.Library("rgnn_test_gone", "DEF")
    own_library.define("sine(Tensor x) -> Tensor")
    own_library.impl("sine", torch.sin, "CompositeExplicitAutograd")
    torch.library.register_fake("rgnn_test_gone::sine", torch.empty_like, lib=own_library)
    model = Net(lambda net, x, edges: torch.ops.rgnn_test_gone.sine(x)).double()
    compiled = rgnn.compile(model)
    with torch.no_grad(), pytest.warns(UserWarning, match="rgnn_test_gone.sine: no rule for it"):
        compiled(*inputs(7, 20))
    message = "rgnn_test_gone::sine is no operator of PyTorch's own: rgnn.register_op has it saved by its name"
    with pytest.raises(rgnn.CompileError, match=message):
        compiled.save(tmp_path / "m.rgnn")
    rgnn.register_op("rgnn_test_gone::sine", rows="each")
    compiled.save(tmp_path / "m.rgnn")
    rgnn.load(tmp_path / "m.rgnn")
    own_library._destroy()
    message = r"the module calls rgnn_test_gone::sine \(at test_register_op.py:\d+\), which is no operator here: import"
    with pytest.raises(rgnn.LoadError, match=message):
        rgnn.load(tmp_path / "m.rgnn")
