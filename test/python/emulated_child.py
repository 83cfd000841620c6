"""What test_emulated_gpu.py runs in a process of its own, where tensors say that they are on a GPU and a driver runs
kernels on the processor: checks the configurations that it reads, a line of JSON each, and answers with a line."""

import functools
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmark"))
import pretend_cuda

pretend_cuda.pretend()

import configurations  # noqa: E402
import pyg  # noqa: E402
import rgnn  # noqa: E402
import torch  # noqa: E402
from checks import check_dropout, check_gradients, check_half  # noqa: E402
from coverage import find_case, measure  # noqa: E402
from coverage.case import AWKWARD  # noqa: E402
from torch_geometric.nn import HGTConv, RGATConv, RGCNConv  # noqa: E402

UNREACHED = ("HGT-papers-two-relations",)  # the gradients of relations that are not there are 0, and None in PyG


def check(name: str, dtype: torch.dtype) -> None:
    """Results and gradients against PyG, by one compiled model on all graphs."""
    configuration = configurations.CONFIGURATIONS[name]
    torch.manual_seed(0)
    model = configuration.make().to(dtype).train(configuration.training)
    with torch.no_grad():
        for parameter in model.parameters():  # biases start as zeros, skips as ones
            parameter.add_(0.1 * torch.randn_like(parameter))
    compiled = rgnn.compile(model, fullgraph=True, target="sm_90")
    for graph in configuration.graphs:
        args = configuration.inputs(graph, dtype)
        if configuration.training:
            check_dropout(pyg.as_reference(model), compiled, args)
            continue
        is_half = dtype in (torch.float16, torch.bfloat16)
        (check_half if is_half else pyg.check)(model, compiled, args)
        # The exponential of a GPU may be off by two units in the last place, and here is.
        least = 16 * torch.finfo(dtype).eps if is_half else 2e-5
        check_gradients(model, compiled, args, dtype, least, may_be_zero=name in UNREACHED)


def check_parts(dtype: torch.dtype) -> None:
    """Rows and gradients that begin anywhere in another tensor, of which a GPU cannot read several numbers at once."""
    torch.manual_seed(0)
    model = RGCNConv(16, 16, 3).to(dtype)
    compiled = rgnn.compile(model, fullgraph=True, target="sm_90")
    graph = torch.randint(50, (2, 200)), torch.randint(3, (200,))
    for begin in range(4):
        x, gradient = (torch.randn(50 * 16 + begin, dtype=dtype)[begin:].view(50, 16) for _ in range(2))
        x.requires_grad_()
        out, expected = compiled(x, *graph), model(x, *graph)
        torch.testing.assert_close(out, expected)
        (found,), (wanted,) = (torch.autograd.grad(rows, x, gradient) for rows in (out, expected))
        torch.testing.assert_close(found, wanted)


def check_oldest(dtype: torch.dtype) -> None:
    """The oldest chip: neither asynchronous copies nor tensor cores for f32."""
    torch.manual_seed(0)
    model = RGCNConv(16, 16, 3).to(dtype)
    args = torch.randn(50, 16, dtype=dtype), torch.randint(50, (2, 200)), torch.randint(3, (200,))
    check_half(model, rgnn.compile(model, fullgraph=True, target="sm_75"), args)


def check_hubs(dtype: torch.dtype) -> None:
    """A node with so many edges that each thread of its block has several steps of them, on either side."""
    torch.manual_seed(0)
    edge_index, edge_type = torch.randint(60, (2, 6000)), torch.randint(3, (6000,))
    edge_index[1, :2500] = 3
    edge_index[0, 2000:4500] = 5
    x = torch.randn(60, 20, dtype=dtype)
    of_one = {"a": x}, {("a", name, "a"): edge_index[:, edge_type == i] for i, name in enumerate("xyz")}
    for layer, args in ((RGCNConv(20, 33, 3), (x, edge_index, edge_type)),
                        (RGATConv(20, 16, 3, heads=2), (x, edge_index, edge_type)),
                        (HGTConv(20, 32, (["a"], list(of_one[1])), heads=2), of_one)):  # fmt: skip
        model = layer.to(dtype)
        compiled = rgnn.compile(model, fullgraph=True, target="sm_90")
        pyg.check(model, compiled, args)
        check_gradients(model, compiled, args, dtype, 2e-5)


def check_explained(dtype: torch.dtype) -> None:
    """What rgnn.explain lists is what the driver is told to launch, in that order."""
    torch.manual_seed(0)
    args = torch.randn(50, 16, dtype=dtype), torch.randint(50, (2, 200)), torch.randint(3, (200,))
    edges = [("a", "x", "b"), ("b", "y", "a")]
    of_two = ({name: torch.randn(50, 16, dtype=dtype) for name in "ab"},
              {edge: torch.randint(50, (2, 200)) for edge in edges})  # fmt: skip
    for layer, given in ((RGATConv(16, 16, 3), args), (HGTConv(16, 16, (["a", "b"], edges), heads=2), of_two)):
        compiled = rgnn.compile(layer.to(dtype), fullgraph=True, target="sm_90")
        report = rgnn.explain(compiled, *given)
        with torch.no_grad(), tempfile.NamedTemporaryFile("r") as file:
            compiled(*given)  # what is built once for a graph
            os.environ["RGNN_EMULATOR_COUNTS"] = file.name
            compiled(*given)
            del os.environ["RGNN_EMULATOR_COUNTS"]
            launched = [json.loads(line)["ptx"] for line in file]
        listed = [kernel.partition(":")[0] for kernel in report.kernels]
        assert len(launched) == len(listed) > 0, (launched, listed)
        places = []
        for code in launched:
            text = Path(os.environ["RGNN_EMULATOR_DUMP"], f"{code}.ptx").read_text()
            places.append(report.ir["ptx"].index(text.strip()))
        assert places == sorted(places), places


def check_case(name: str, dtype: torch.dtype) -> None:
    """A case of the coverage table, evaluated and trained."""
    part, _, case = name.partition("/")
    session = measure.Session({"part": part, "case": case, "graph": AWKWARD, "peer": "rgnn", "target": "sm_90",
                               "width": 16, "threads": 1, "exact": dtype == torch.float64})  # fmt: skip
    for training in (False, True):
        found = session.check(training)["difference"]
        assert found <= find_case(part, case).bound, (training, found)


def check_functions(dtype: torch.dtype) -> None:
    """What a kernel may compute of numbers, several functions each, with arguments that take the long way."""
    positive = ["log", "log1p", "log2", "log10", "sqrt", "rsqrt", "reciprocal", "square"]
    within_one = ["asin", "acos", "atanh", "erf", "erfc", "frac"]
    anywhere = ["sin", "cos", "tan", "exp", "exp2", "expm1", "sinh", "cosh", "tanh", "atan", "asinh", "abs", "neg",
                "sign", "floor", "ceil", "trunc", "round", "sigmoid"]  # fmt: skip
    activations = ["gelu", "silu", "softplus", "mish", "selu", "elu", "softsign", "logsigmoid", "celu"]
    of_two = ["atan2", "pow", "maximum", "minimum", "fmod", "remainder", "hypot", "logaddexp"]
    x = torch.randn(20, 6, dtype=dtype)
    huge = x * (1e6 if dtype == torch.float32 else 1e12)
    groups = [(torch, positive, x.abs() + 0.1), (torch, within_one, x.tanh() * 0.9), (torch, anywhere, x),
              (torch, ["floor", "round"], x), (torch, ["sin", "cos"], huge), (torch.nn.functional, activations, x),
              (torch, of_two, x.abs() + 0.1), (torch, ["acosh"], x.abs() + 1.1)]  # fmt: skip
    edge_index = torch.randint(20, (2, 60))
    for module, names, values in groups:
        functions = [getattr(module, name) for name in names]
        others = [values.flip(0)] if names is of_two else []

        def model(x, edge_index, *others, functions=functions):
            given = [x, *others]
            rows = torch.cat([function(*(value[edge_index[0]] for value in given)) for function in functions], 1)
            return x.new_zeros(x.size(0), rows.size(1)).index_add(0, edge_index[1], rows)

        compiled = rgnn.compile(model, fullgraph=True, target="sm_90")
        values.requires_grad_()
        exact = [value.detach().double().requires_grad_() for value in (values, *others)]
        expected, found = model(exact[0], edge_index, *exact[1:]), compiled(values, edge_index, *others)
        weights = torch.randn_like(expected)
        (wanted,), (gradient,) = (torch.autograd.grad((out * weights.to(out.dtype)).sum(), source)
                                  for out, source in ((expected, exact[0]), (found, values)))  # fmt: skip
        for got, right in ((found, expected), (gradient, wanted)):
            least = 2e-5 if dtype == torch.float32 else 1e-12
            torch.testing.assert_close(got, right.to(dtype), rtol=least, atol=least)


def answer(name: str, dtype: str) -> dict:
    try:
        default = check_case if "/" in name else check
        OTHERS.get(name, functools.partial(default, name))(getattr(torch, dtype))
    except Exception:
        return {"failure": traceback.format_exc()}
    return {}


OTHERS = {"parts of tensors": check_parts, "oldest chip": check_oldest, "hubs": check_hubs,
          "explained": check_explained, "functions": check_functions}

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), flush=True)
