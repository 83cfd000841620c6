"""Bad input: an index out of range is a clear error, all else is as without compiling; then the model still works."""

import pickle
import re

import _rgnn
import pytest
import rgnn
import torch
from pyg import R, awkward, error, gnn, rows
from torch.utils import _pytree as pytree

NODES, EDGE_INDEX, EDGE_TYPE = awkward()
EDGES = len(EDGE_TYPE)


@pytest.fixture(scope="module")
def layer():
    torch.manual_seed(0)
    model = gnn.RGATConv(16, 20, R, edge_dim=3).double().eval()
    return model, rgnn.compile(model, fullgraph=True)


@pytest.fixture(scope="module", params=[False, True], ids=["partial", "fullgraph"])
def either(layer, request):
    return layer[0], rgnn.compile(layer[0], fullgraph=request.param), request.param


def good():
    return {
        "x": rows(NODES, 16),
        "edge_index": EDGE_INDEX.clone(),
        "edge_type": EDGE_TYPE.clone(),
        "edge_attr": rows(EDGES, 3, seed=1),
    }


def works(model, compiled, args):
    with torch.no_grad():
        return error(compiled(*args), model(*args)) <= 1e-10


def outcome(call, args):
    """What a call gives, or the error that it raises."""
    try:
        return call(*args)
    except Exception as raised:
        return raised


def check_outcome(model, compiled, args, fullgraph=False, has_values=True):
    """The same kind of error as without compiling; where there is none the same values, or a refusal of fullgraph."""
    own, got = outcome(model, args), outcome(compiled, args)
    if isinstance(own, Exception):
        assert type(got) is type(own), f"{got!r}, not {own!r}"
        return
    if fullgraph and isinstance(got, rgnn.FallbackError):
        return
    assert not isinstance(got, Exception), repr(got)
    for one, other in zip(pytree.tree_leaves(got), pytree.tree_leaves(own), strict=True):
        assert one.dtype == other.dtype and one.device == other.device and one.shape == other.shape
        assert not has_values or error(one.detach(), other.detach()) <= 1e-10


def with_value(name, position, value):
    def spoil(args):
        args[name][position] = value

    return spoil


def replaced(name, change):
    def spoil(args):
        args[name] = change(args[name])

    return spoil


RANGE = rf"edge_index: expected node indices in \[0, {NODES}\), got"
TYPES = rf"edge_type: expected types in \[0, {R}\), got"
BAD = {
    "source out of range": (with_value("edge_index", (0, 3), NODES), rf"{RANGE} {NODES} at edge 3"),
    "destination out of range": (with_value("edge_index", (1, 0), 10**12), rf"{RANGE} {10**12} at edge 0"),
    "negative source": (with_value("edge_index", (0, -1), -1), rf"{RANGE} -1 at edge {EDGES - 1}"),
    "negative destination": (with_value("edge_index", (1, 5), -(2**40)), rf"{RANGE} -{2**40} at edge 5"),
    "type out of range": (with_value("edge_type", 7, R), rf"{TYPES} {R} at edge 7"),
    "type far out of range": (with_value("edge_type", 7, 2**32), rf"{TYPES} {2**32} at edge 7"),
    "negative type": (with_value("edge_type", 2, -1), rf"{TYPES} -1 at edge 2"),
    "fewer nodes": (replaced("x", lambda x: x[:5]), r"edge_index: expected node indices in \[0, 5\), got \d+ at edge"),
    "no nodes": (replaced("x", lambda x: x[:0]), r"edge_index: expected node indices in \[0, 0\), got \d+ at edge 0"),
}  # fmt: skip
UNFIT = {
    "shorter types": replaced("edge_type", lambda t: t[:-1]),
    "longer types": replaced("edge_type", lambda t: torch.cat([t, t])),
    "no types": replaced("edge_type", lambda t: t[:0]),
    "shorter attributes": replaced("edge_attr", lambda t: t[1:]),
    "longer attributes": replaced("edge_attr", lambda t: torch.cat([t, t])),
    "narrow attributes": replaced("edge_attr", lambda t: t[:, :2]),
    "narrow features": replaced("x", lambda x: x[:, :15]),
    "wide features": replaced("x", lambda x: x.repeat(1, 2)),
    "no width": replaced("x", lambda x: x[:, :0]),
    "single precision": replaced("x", torch.Tensor.float),
    "half precision": replaced("x", torch.Tensor.bfloat16),
    "integer features": replaced("x", torch.Tensor.int),
    "features of rank 1": replaced("x", lambda x: x[:, 0]),
    "features of rank 0": replaced("x", lambda x: x[0, 0]),
    "attributes of single precision": replaced("edge_attr", torch.Tensor.float),
    "real indices": replaced("edge_index", torch.Tensor.double),
    "short indices": replaced("edge_index", torch.Tensor.short),
    "boolean types": replaced("edge_type", torch.Tensor.bool),
    "indices of rank 1": replaced("edge_index", lambda t: t[0]),
    "three rows": replaced("edge_index", lambda t: t[[0, 1, 1]]),
    "one row": replaced("edge_index", lambda t: t[:1]),
    "pairs": replaced("edge_index", lambda t: t.T),
    "types of rank 2": replaced("edge_type", lambda t: t[None]),
}
ON_META = {  # eager gives memory that nothing was written to, or refuses it
    "features on meta": replaced("x", lambda t: t.to("meta")),
    "indices on meta": replaced("edge_index", lambda t: t.to("meta")),
    "types on meta": replaced("edge_type", lambda t: t.to("meta")),
    "attributes on meta": replaced("edge_attr", lambda t: t.to("meta")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(layer, case):
    model, compiled = layer
    assert works(model, compiled, good().values())
    compiled(*good().values())
    made = len(compiled._compiled_call_impl.runner.versions)
    spoil, message = BAD[case]
    args = good()
    spoil(args)
    for _ in range(2), torch.no_grad():
        with pytest.raises(rgnn.InputError, match=message):
            compiled(*args.values())
    with pytest.raises(rgnn.InputError, match=message):  # with gradients too, and not only when they are asked for
        compiled(*args.values())
    assert len(compiled._compiled_call_impl.runner.versions) == made
    assert works(model, compiled, good().values())


@pytest.mark.sample(7)
@pytest.mark.parametrize("case", UNFIT)
def test_unfit_input(either, case, recwarn):
    model, compiled, fullgraph = either
    assert works(model, compiled, good().values())
    args = good()
    UNFIT[case](args)
    with torch.no_grad():
        for _ in range(2):
            check_outcome(model, compiled, args.values(), fullgraph)
    check_outcome(model, compiled, args.values(), fullgraph)
    made = len(compiled._compiled_call_impl.runner.versions)
    assert works(model, compiled, good().values())  # by what was compiled before
    assert len(compiled._compiled_call_impl.runner.versions) == made
    assert not [str(w.message) for w in recwarn if "rgnn" in str(w.message)]


@pytest.mark.parametrize("case", ON_META)
def test_input_on_meta(either, case):
    model, compiled, fullgraph = either
    assert works(model, compiled, good().values())
    args = good()
    ON_META[case](args)
    with torch.no_grad():
        check_outcome(model, compiled, args.values(), fullgraph, has_values=False)
    assert works(model, compiled, good().values())


@pytest.mark.parametrize("case", ["source out of range", "negative type", "fewer nodes"])
def test_bad_first_call(layer, case):
    model, _ = layer
    compiled = rgnn.compile(model, fullgraph=True)
    spoil, message = BAD[case]
    args = good()
    spoil(args)
    with pytest.raises(rgnn.InputError, match=message):
        compiled(*args.values())
    assert works(model, compiled, good().values())


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("case", ["shorter types", "three rows", "wide features"])
def test_unfit_first_call(layer, case, fullgraph):
    model, _ = layer
    compiled = rgnn.compile(model, fullgraph=fullgraph)
    args = good()
    UNFIT[case](args)
    check_outcome(model, compiled, args.values(), fullgraph)
    assert works(model, compiled, good().values())
    assert any(version.regions for version in compiled._compiled_call_impl.runner.versions)


def test_not_tensors(layer):
    model, _ = layer
    compiled = rgnn.compile(model)
    args = list(good().values())
    assert works(model, compiled, args)
    for position, value in ((0, None), (0, args[0].tolist()), (1, [[0], [1]]), (2, 3), (3, "edges")):
        bad = list(args)
        bad[position] = value
        with pytest.raises(Exception) as caught:
            model(*bad)
        with pytest.raises(type(caught.value), match=re.escape(str(caught.value)) or None):  # as without compiling
            compiled(*bad)
    with pytest.raises(TypeError):
        compiled(*args, 1, 2, 3)
    assert works(model, compiled, args)


def test_is_pytorchs_error_as_well(layer):
    """Who expects PyTorch's error catches it; what goes to another process is an InputError."""
    model, compiled = layer
    args = good()
    args["edge_index"][0, 3] = NODES
    with torch.no_grad():
        with pytest.raises(Exception) as own:
            model(**args)
        words = str(own.value).strip().splitlines()[0]
        with pytest.raises(type(own.value), match=re.escape(f"(PyTorch: {words})")) as caught:
            compiled(**args)
    assert isinstance(caught.value, rgnn.InputError) and isinstance(caught.value, ValueError)
    assert type(pickle.loads(pickle.dumps(caught.value))) is rgnn.InputError
    assert works(model, compiled, good().values())


@pytest.mark.parametrize("end", [0, 1])
def test_is_the_error_of_the_whole_model(end):
    """A model may meet a wrong index before the operator that is compiled does: the degrees of GCNConv do."""
    model = gnn.GCNConv(16, 4).double()
    compiled, edge_index = rgnn.compile(model), EDGE_INDEX.clone()
    edge_index[end, 3] = NODES
    with pytest.raises(Exception) as own:
        model(rows(NODES, 16), edge_index)
    with pytest.raises(type(own.value), match=re.escape(str(own.value))) as caught:
        compiled(rows(NODES, 16), edge_index)
    assert str(caught.value).startswith("edge_index: expected node indices in [0, ")
    assert isinstance(caught.value, rgnn.InputError) and type(own.value) in (IndexError, RuntimeError)
    assert works(model, compiled, (rows(NODES, 16), EDGE_INDEX))


def test_bad_parameter():
    torch.manual_seed(0)
    model = gnn.FastRGCNConv(16, 20, R).double().eval()
    compiled = rgnn.compile(model, fullgraph=True)
    args = rows(NODES, 16), EDGE_INDEX, EDGE_TYPE
    assert works(model, compiled, args)
    weight = model.weight
    for bad in (weight[:, :15], weight.float()):
        model.weight = torch.nn.Parameter(bad.detach())
        check_outcome(model, compiled, args, fullgraph=True)
    model.weight = weight
    assert works(model, compiled, args)


# Several types of nodes


METADATA = ["a", "b"], [("a", "x", "b"), ("b", "y", "a"), ("a", "z", "a")]
SIZES = {"a": 6, "b": 4}


def good_hetero():
    x = {"a": rows(6, 16), "b": rows(4, 20)}
    edges = {key: torch.stack([torch.arange(8) % SIZES[key[0]], torch.arange(8) * 3 % SIZES[key[2]]])
             for key in METADATA[1]}
    return x, edges


@pytest.fixture(scope="module", params=[False, True], ids=["partial", "fullgraph"])
def hetero(request):
    torch.manual_seed(0)
    model = gnn.HGTConv({"a": 16, "b": 20}, 16, METADATA, heads=2).double().eval()
    return model, rgnn.compile(model, fullgraph=request.param), request.param


AXB, BYA, AZA = METADATA[1]
BAD_HETERO = {
    "source out of range": (
        1, AXB, lambda t: t.index_fill(1, torch.tensor([2]), 6), r"source indices in \[0, 6\), got 6 at edge 2"),
    "destination of another type": (
        1, AXB, lambda t: torch.stack([t[0], t[0]]), r"destination indices in \[0, 4\), got 4 at edge 4"),
    "negative": (1, AZA, lambda t: t - 1, r"expected source indices in \[0, 6\), got -1 at edge 0"),
    "fewer nodes": (0, "b", lambda t: t[:2], r"expected destination indices in \[0, 2\), got 3 at edge 1"),
}  # fmt: skip
UNFIT_HETERO = {
    "real indices": (1, BYA, torch.Tensor.double),
    "three rows": (1, BYA, lambda t: t[[0, 1, 1]]),
    "rank 1": (1, BYA, lambda t: t[0]),
    "on meta": (1, AZA, lambda t: t.to("meta")),
    "width": (0, "b", lambda t: t[:, :16]),
    "precision": (0, "a", torch.Tensor.float),
    "features on meta": (0, "a", lambda t: t.to("meta")),
}


def works_hetero(model, compiled):
    with torch.no_grad():
        got, expected = compiled(*good_hetero()), model(*good_hetero())
    return all(error(got[name], expected[name]) <= 1e-10 for name in SIZES)


@pytest.mark.parametrize("case", BAD_HETERO)
def test_bad_hetero(hetero, case):
    model, compiled, _ = hetero
    position, key, change, message = BAD_HETERO[case]
    assert works_hetero(model, compiled)
    args = good_hetero()
    args[position][key] = change(args[position][key])
    with pytest.raises(rgnn.InputError, match=message), torch.no_grad():
        compiled(*args)
    assert works_hetero(model, compiled)


@pytest.mark.sample(3)
@pytest.mark.parametrize("case", UNFIT_HETERO)
def test_unfit_hetero(hetero, case):
    model, compiled, fullgraph = hetero
    position, key, change = UNFIT_HETERO[case]
    assert works_hetero(model, compiled)
    args = good_hetero()
    args[position][key] = change(args[position][key])
    with torch.no_grad():
        if "meta" in case:  # the compiled code may be first to see it
            with pytest.raises((rgnn.InputError, RuntimeError)):
                compiled(*args)
        else:
            check_outcome(model, compiled, args, fullgraph)
    assert works_hetero(model, compiled)


def test_another_schema(hetero):
    """Relations and types that the model does not have, and types without rows."""
    model, *_ = hetero
    compiled = rgnn.compile(model)
    x, edges = good_hetero()
    for bad in (
        (x, {**edges, ("a", "new", "b"): edges[AXB]}),
        ({"a": x["a"]}, edges),
        (x, {("a", "x", "c"): edges[AXB]}),
    ):
        with pytest.raises(Exception) as caught:
            model(*bad)
        with pytest.raises(type(caught.value)):
            compiled(*bad)
    with torch.no_grad():
        assert error(compiled(x, edges)["a"], model(x, edges)["a"]) <= 1e-10


# rgnn.Graph


GRAPH = {
    "rank": ({"edge_index": EDGE_INDEX[0]}, r"edge_index: expected shape \[2, E\], got \[90\]"),
    "dtype": ({"edge_index": EDGE_INDEX.double()}, "edge_index: expected int64 or int32, got torch.float64"),
    "length of types": ({"edge_type": EDGE_TYPE[:3]}, r"edge_type: expected shape \[90\], got \[3\]"),
    "dtype of types": ({"edge_type": EDGE_TYPE.bool()}, "edge_type: expected int64 or int32, got torch.bool"),
    "negative type": ({"edge_type": EDGE_TYPE - 1}, "edge_type: expected types of at least 0, got -1"),
    "num_nodes": ({"num_nodes": 5}, r"edge_index: expected node indices in \[0, 5\), got 0 to 1\d"),
    "node types": (
        {"num_nodes": 30, "node_type": torch.zeros(23).long()}, r"node_type: expected shape \[30\], got \[23\]"),
    "negative index": ({"edge_index": EDGE_INDEX - 1}, r"edge_index: expected node indices in \[0, \d+\), got -1 to"),
}  # fmt: skip


@pytest.mark.parametrize("case", GRAPH)
def test_bad_graph(case):
    changes, message = GRAPH[case]
    arguments = {"edge_index": EDGE_INDEX, "edge_type": EDGE_TYPE, **changes}
    with pytest.raises(rgnn.InputError, match=message):
        rgnn.Graph(**arguments)


# Options and text


@pytest.mark.parametrize("arguments, kind, message", [
    ({"fuse_everything": True}, TypeError, "fuse_everything"),
    ({"schedule": {"gmm": {}}}, ValueError, "schedule: expected kinds 'gemm' and 'traverse', got 'gmm'"),
    ({"schedule": {"gemm": (96, 6)}}, TypeError, r"schedule\['gemm'\]: expected a dict of fields, got \(96, 6\)"),
    ({"schedule": {"traverse": {"task_rows": 6.5}}}, ValueError, "expected names of fields .* got 'task_rows': 6.5"),
    ({"layout": {"pad": 8}}, ValueError, "layout: expected 'adjacency' and 'padding', got 'pad'"),
    ({"layout": {"adjacency": "csr"}}, ValueError, r"layout\['adjacency'\]: expected 'auto', .* got 'csr'"),
    ({"layout": {"padding": 0}}, ValueError, r"layout\['padding'\]: expected an integer from 1 to 1024, got 0"),
    ({"schedule": {"traverse": {"task rows": 6}}}, ValueError, "expected names of fields and .* got 'task rows': 6"),
])  # fmt: skip
def test_bad_options(arguments, kind, message):
    with pytest.raises(kind, match=message):
        rgnn.Options(**arguments)


def test_bad_arguments_of_compile_and_explain(layer):
    model, _ = layer
    with pytest.raises(ValueError, match="target: expected None, 'cpu', 'cuda' or a chip such as 'sm_90', got 'tpu'"):
        rgnn.compile(model, target="tpu")
    for target in ("tpu", 90):
        with pytest.raises(ValueError, match=f"target: expected None, 'cpu', 'cuda' or a chip .* got {target!r}"):
            rgnn.explain(model, *good().values(), target=target)
    with pytest.raises(TypeError, match="fulgraph"):
        rgnn.compile(model, fulgraph=True)


SIGNATURE = "func.func @forward(%x: tensor<?x4xf32>) -> tensor<?x4xf32>"
TEXTS = {
    "": "expected a function @forward, got none",
    "module { func.func @other() { return } }": "expected a function @forward, got none",
    "what is this": "custom op 'what' is unknown",
    "module {": "expected operation name in quotes",
    f"module {{ {SIGNATURE} {{ return %y : tensor<?x4xf32> }} }}": "use of undeclared SSA value name",
    f"module {{ {SIGNATURE} {{ return %x : tensor<?x5xf32> }} }}": "'tensor<.x5xf32>' vs 'tensor<.x4xf32>'",
    f"module {{ {SIGNATURE} {{ %0 = rgnn.nothing %x return %0 : tensor<?x4xf32> }} }}": "nothing",
    "module { func.func private @forward(tensor<?x4xf32>) }": "expected a definition of one block",
    "module { func.func @forward(%x: i32) -> i32 { return %x : i32 } }": "expected tensors and graphs as arguments",
    f'module {{ {SIGNATURE} {{ %0 = rgnn.torch "aten.nothing"(%x) [#rgnn.operand<0>] : (tensor<?x4xf32>) -> '
    "tensor<?x4xf32> return %0 : tensor<?x4xf32> } }": "cannot be lowered",
    f'module {{ {SIGNATURE} {{ %0 = rgnn.torch "aten.relu"(%x) [#rgnn.operand<7>] : (tensor<?x4xf32>) -> '
    "tensor<?x4xf32> return %0 : tensor<?x4xf32> } }": "7",
    "\0\1\2\xff" * 40: "expected|error",
}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_malformed_text(text):
    with pytest.raises(_rgnn.CompileError, match=TEXTS[text]):
        _rgnn.compile(text)
    with pytest.raises(_rgnn.CompileError):
        _rgnn.compile(text.encode("latin1"))


def test_text_cut_off_anywhere(layer):
    """Captured text that ends too early, at each of its lines and at some columns: errors, never a crash."""
    text = rgnn.explain(layer[0], *good().values()).ir["captured"]
    assert _rgnn.compile(text)["so"]
    lines = text.rstrip().splitlines()
    for end in range(0, len(lines), 3):
        with pytest.raises(_rgnn.CompileError):
            _rgnn.compile("\n".join(lines[:end]))
    for end in range(0, len(text.rstrip()) - 1, 211):
        with pytest.raises(_rgnn.CompileError):
            _rgnn.compile(text[:end])


@pytest.mark.parametrize("options, message", [
    ("nonsense=3", "no such option nonsense"),
    ("cpu=z80", "expected native or a processor .* got 'z80'"),
    ("features=+magic", r"expected features .* got '\+magic'"),
    ("gemm-schedule=rows:2", "expected fields of a gemm schedule .* got 'rows'"),
    ("gemm-schedule=vector_width:3", "expected a power of two as vector width, got 3"),
    ("traverse-schedule=task_rows:-1", "expected tasks of at least one row, got -1"),
    ("}", "no such option }"),
])  # fmt: skip
@pytest.mark.sample(2)
def test_bad_pipeline_options(layer, options, message):
    text = rgnn.explain(layer[0], *good().values()).ir["captured"]
    with pytest.raises(_rgnn.CompileError, match=message):
        _rgnn.compile(text, options)


def test_bad_pipelines():
    with pytest.raises(_rgnn.CompileError, match="'nonsense' does not refer to a registered pass"):
        _rgnn.run_pipeline("module {}", "nonsense")
    with pytest.raises(_rgnn.CompileError, match="custom op 'nonsense' is unknown"):
        _rgnn.run_pipeline("nonsense", "cse")
