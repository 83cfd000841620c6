"""The page of rgnn.explain: what is in it, and that it needs nothing else."""

import html
import html.parser
import re
import xml.etree.ElementTree as ElementTree

import _rgnn
import pytest
import rgnn
import torch
from models import InParts, Net, inputs
from pyg import R, gnn
from rgnn import _page, data
from rgnn._page import compare, ir, layout, memory, rewrites
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")

VOID = {"meta"}


class Reader(html.parser.HTMLParser):
    """Checks that elements are closed in their order, and gathers them and the text of the page."""

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        assert len({name for name, _ in attributes}) == len(attributes)
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "title"):
            self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert page.startswith("<!DOCTYPE html>\n") and reader.open == []
    return reader


def written(report, tmp_path):
    report.html(tmp_path / "explain.html")
    return (tmp_path / "explain.html").read_text(encoding="utf-8")


def section(page, name):
    return re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL)[0]


def plain(fragment):
    """The text of a part of a page, with one space where elements meet."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", fragment)).split())


@pytest.fixture(scope="module")
def hgt():
    """A training step of HGT on the graph of aifb, with its times."""
    torch.manual_seed(0)
    graph = data.load("aifb")
    layer = gnn.HGTConv(32, 32, graph.metadata)
    report = rgnn.explain(layer, graph.split_nodes(torch.randn(graph.num_nodes, 32)), graph.edge_index_dict,
                          measure=True)  # fmt: skip
    return report, graph


@pytest.fixture(scope="module")
def page(hgt, tmp_path_factory):
    return written(hgt[0], tmp_path_factory.mktemp("page"))


def test_well_formed(page):
    reader = read(page)
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    links = [attributes["href"] for tag, attributes in reader.elements if tag == "a"]
    assert links == [f"#{name}" for name in ids]
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)


def test_needs_nothing_else(page):
    reader = read(page)
    assert {tag for tag, _ in reader.elements}.isdisjoint({"script", "link", "img", "iframe", "object", "base"})
    for _, attributes in reader.elements:
        assert not any(name.startswith("on") or name in ("src", "srcset", "style") for name in attributes)
        assert attributes.get("href", "#").startswith("#")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style and "@import" not in style and "prefers-color-scheme: dark" in style


def test_all_rewrites_of_a_training_step(hgt, page):
    report, _ = hgt
    text = plain(section(page, "rewrites"))
    taken = {decision for decision in report.decisions if decision.outcome == "taken"}
    assert {decision.half for decision in taken} == {"forward", "backward"}
    for decision in taken:
        assert decision.name in text and decision.reason in text and decision.where in text
    assert all(decision.reason in text for decision in report.decisions)
    # Each pass that did something has its two sides.
    stages = [rewrites.run_passes(compilation) for compilation in report.compilations]
    both = sum(step.before != step.after and any(decision.name == step.name and decision.outcome == "taken"
                                                 for decision in compilation.decisions)
               for compilation, passed in zip(report.compilations, stages) for step in passed.steps)  # fmt: skip
    assert page.count('<table class="compare">') == both >= 8


def test_all_kernels_of_a_training_step(hgt, page):
    report, _ = hgt
    part = section(page, "kernels")
    rows = [plain(row) for row in re.findall(r"<tr>.*?</tr>", part, re.DOTALL)]
    for phase in ("forward", "backward"):
        kernels = [kernel for kernel in report.profile.kernels if kernel.phase == phase]
        for number, kernel in enumerate(kernels, 1):
            assert any(row.startswith(f"{number} {kernel.name} ") and row.endswith(kernel.source) for row in rows)
    text = plain(part)
    assert all(" ".join(kernel.split()) in text for kernel in report.kernels)
    assert "kernels of the backward, with their schedules" in text


def test_sums_are_the_profilers(hgt, page):
    report, _ = hgt
    sums = [float(value) for value in re.findall(r'<data value="([^"]+)"', section(page, "kernels"))]
    expected = []
    for phase in ("forward", "backward"):
        kernels = [kernel for kernel in report.profile.kernels if kernel.phase == phase]
        expected += [sum(kernel.seconds for kernel in kernels), sum(kernel.bytes or 0 for kernel in kernels)]
    assert sums == expected and min(sums) > 0


def test_facts_of_the_graph(hgt, page):
    report, graph = hgt
    (facts,) = report.graphs
    edges = torch.stack([graph.src, graph.dst])
    pairs = [len(torch.stack([end, graph.edge_type]).unique(dim=1).T) for end in edges]
    degrees = edges[1].bincount()
    assert (facts.nodes, facts.edges, facts.edge_types) == (graph.num_nodes, graph.num_edges, 104)
    assert (facts.src_pairs, facts.dst_pairs) == tuple(pairs) and facts.max_degree == degrees.max()
    assert facts.mean_degree == pytest.approx(graph.num_edges / graph.num_nodes)
    text = plain(section(page, "summary"))
    assert "the whole model" in text and f"{facts.edges:,}" in text and f"{facts.src_pairs:,}" in text


def test_plan_and_memory(hgt, page):
    report, _ = hgt
    plans = section(page, "plan")
    assert len(re.findall(r'<svg class="plan"', plans)) == 2
    for word in ("typed_linear by etype", "gather src to src_pair", "reduce sum dst", "7 × x_dict["):
        assert word in plain(plans)
    for domain in ("nodes", "edges", "pairs", "whole"):
        assert f'<g class="box {domain}">' in plans
    assert '<svg class="memory"' in section(page, "memory")


def test_levels(hgt, page):
    report, _ = hgt
    part = section(page, "ir")
    assert part.count("<details>") == len(report.ir)
    shown = [html.unescape(text) for text in re.findall(r"<pre><code>(.*?)</code></pre>", part, re.DOTALL)]
    assert shown == list(report.ir.values())


@pytest.mark.parametrize("options", [{}, {"aggregate_first": True}, {"compact": False}, {"stack_relations": True},
                                     {"reassociate": False, "fuse": False}])  # fmt: skip
def test_passes_are_those_of_the_compiler(options):
    """Run one by one, they give the kernels that the pipeline gives."""
    given = rgnn.Options(**options)
    report = rgnn.explain(Net().double().eval(), *inputs(), options=given)
    assert [compilation.title for compilation in report.compilations] == [
        "forward", "both halves of a training step, before they are parted", "forward of a training step", "backward"]
    for compilation in report.compilations:
        stages = rewrites.run_passes(compilation)
        if compilation.wanted is not None:
            continue
        fuse = f"convert-rgnn-to-hetkernel{{fuse={str(given.fuse is not False).lower()}}}"
        again = _rgnn.run_pipeline(stages.mathematics, f"func.func({fuse}),rgnn-canonicalize,cse,func.func("
                                   "hetkernel-fuse-row-scale,hetkernel-fuse-row-sum)")  # fmt: skip
        assert list_kernels(again) == list_kernels(stages.kernels) != []
        names = {step.name for step in stages.steps}
        taken = {decision.name for decision in compilation.decisions if decision.outcome == "taken"}
        assert {name for name in taken if not name.startswith("hetkernel-")} <= names
        absent = _rgnn.left_out(given.pipeline())
        assert names.isdisjoint(absent) and set(_rgnn.rewrites().values()) - {"rgnn-recompute"} <= names | set(absent)


def list_kernels(text):
    """Kernels with the types of what they give."""
    return re.findall(r"= (hetkernel\.(?:gemm|traverse|outer_sum|concat)) .*outs\(.*? : (.*?)\)", text)


def test_what_pytorch_runs(tmp_path):
    report = rgnn.explain(InParts().double().eval(), *inputs())
    text = plain(section(written(report, tmp_path), "pytorch"))
    assert report.fallbacks
    for operator, reason, where in report.fallbacks:
        assert operator in text and " ".join(reason.split()) in text and where in text
    assert any(where.startswith("models.py:") for *_, where in report.fallbacks)


def test_nothing_is_compiled(tmp_path):
    class Hooked(Net):
        pass

    model = Hooked()
    model.register_forward_hook(lambda *_: None)
    page = written(rgnn.explain(model, *inputs(), measure=True), tmp_path)
    read(page)
    assert "PyTorch runs the model" in plain(page) and "it has hooks" in plain(page)


def test_without_times_and_gradients(tmp_path):
    with torch.no_grad():
        report = rgnn.explain(Net().double().eval(), *inputs())
    assert report.profile is None
    page = written(report, tmp_path)
    read(page)
    assert "Times were not measured" in page and 'class="bar"' not in page
    assert len(re.findall(r'<svg class="plan"', page)) == 1 and '<svg class="memory"' in page


def test_measuring_leaves_a_compiled_model_as_it_was():
    compiled, args = rgnn.compile(Net().double()), inputs()
    before = {name: value.clone() for name, value in compiled.state_dict().items()}
    state = torch.get_rng_state()
    report = rgnn.explain(compiled, *args, measure=True)
    assert set(report.profile.seconds) == {"forward", "backward"}
    assert report.versions == [] and torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(value, before[name]) for name, value in compiled.state_dict().items())
    assert all(parameter.grad is None for parameter in compiled.parameters())


def test_functions_and_keywords(tmp_path):
    layer = gnn.FastRGCNConv(16, 8, R).double()

    def apply(x, edge_index, *, edge_type):
        return layer(x, edge_index, edge_type).relu()

    x, edge_index, edge_type = inputs()
    report = rgnn.explain(apply, x, edge_index, edge_type=edge_type, measure=True)
    assert report.name == "apply" and report.profile.kernels
    assert "<h1>RGNN: apply</h1>" in written(report, tmp_path)


def test_names_are_escaped(tmp_path):
    name = "<script>alert('&\"')</script>"

    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.ModuleDict({name: gnn.FastRGCNConv(16, 8, R)})

        def forward(self, x, edge_index, edge_type):
            return self.convs[name](x, edge_index, edge_type).cumsum(0)

    Odd.__name__ = name
    report = rgnn.explain(Odd().double(), *inputs())
    report.fallbacks.append((name, f"{name}\x00\udc80", f"{name}.py:1"))
    report.decisions.append(rgnn.Decision(name, name, "left out", name, "forward"))
    reader = read(written(report, tmp_path))
    assert "script" not in {tag for tag, _ in reader.elements}
    assert "".join(reader.text).count(name) >= 4


def test_notebooks():
    report = rgnn.explain(Net().double().eval(), *inputs())
    shown = report._repr_html_()
    (frame,) = re.findall(r'<iframe srcdoc="([^"]*)"', shown)
    assert "sandbox" in shown and "<h2>Plan</h2>" in html.unescape(frame)
    read(html.unescape(frame))


def test_for_a_gpu(monkeypatch, tmp_path):
    monkeypatch.setattr("rgnn._explain.gpu.assembler", lambda: None)
    report = rgnn.explain(Net().eval(), *inputs(dtype=torch.float32), target="sm_90", measure=True)
    assert report.fallbacks == [] and report.profile is None
    page = written(report, tmp_path)
    read(page)
    assert all(kernel in plain(section(page, "kernels")) for kernel in report.kernels)
    assert '<svg class="plan"' in page


def test_a_page_that_cannot_be_written(tmp_path):
    report = rgnn.explain(Net().double().eval(), *inputs())
    with pytest.raises(FileNotFoundError):
        report.html(tmp_path / "no" / "such.html")


def test_compare_follows_values():
    """What is only numbered anew is not marked."""
    before = "func.func @f(%arg0: f32) {\n  %0 = a.b %arg0\n  %1 = c.d %0\n  return %1\n}"
    after = "func.func @f(%arg0: f32) {\n  %0 = new.op %arg0\n  %1 = a.b %arg0\n  %2 = c.d %1, %0\n  return %2\n}"
    rows = compare._align(before.split("\n"), after.split("\n"))
    assert rows == [
        ("func.func @f(%arg0: f32) {",) * 2,
        (None, "  %new1 = new.op %arg0"),
        ("  %0 = a.b %arg0",) * 2,
        ("  %1 = c.d %0", "  %new2 = c.d %0, %new1"),
        ("  return %1", "  return %new2"),
        ("}", "}"),
    ]


def test_lists_are_shortened():
    values = ", ".join(f"%{number}" for number in range(20))
    types = ", ".join(["tensor<?x2xf32, #rgnn.rows<edge, @g0>>"] * 20)
    cell = compare.side_by_side("a", f"  %30 = rgnn.concat {values} : {types}")
    assert "%0, … 18 more …, %19 : tensor<?x2xf32, #rgnn.rows<edge, @g0>> × 20" in "".join(cell.itertext())


def test_types_of_values(hgt):
    """Each has one, so that a picture shows on which rows it is."""
    for compilation in hgt[0].compilations:
        function = ir.parse(rewrites.run_passes(compilation).mathematics)["forward"]
        for operation in function.operations:
            for result in operation.results:
                assert result in function.types or not operation.name.startswith("rgnn."), operation.head
        assert function.operations[-1].name == "return" and len(function.arguments) > 10


def test_layers_of_a_picture():
    widths = {name: 40.0 for name in "aebcdf"}
    arrows = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d"), ("e", "d"), ("d", "f")]
    made = layout.lay_out(widths, arrows)
    for start, end in arrows:
        assert made.boxes[start][1] < made.boxes[end][1]
        assert made.routes[start, end][-1] == made.boxes[end]
    for one in widths:
        for other in widths:
            if one < other and made.boxes[one][1] == made.boxes[other][1]:
                assert abs(made.boxes[one][0] - made.boxes[other][0]) >= 40 + layout.SPACE - 1e-6
    assert all(20 <= x <= made.width - 20 and 0 <= y <= made.height for x, y in made.boxes.values())


def test_memory_by_hand():
    text = """module {
  func.func @forward(%arg0: index {rgnn.size}, %arg1: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %c2 = arith.constant 2 : index
    %0 = arith.muli %arg0, %c2 : index
    %1 = tensor.empty(%0) : tensor<?x4xf32>
    %2 = hetkernel.gemm x(%arg1 : tensor<?x4xf32>) outs(%1 : tensor<?x4xf32>) {rgnn.kernel = 0 : i64} -> tensor<?x4xf32>
    %3 = tensor.empty(%arg0) : tensor<?x8xf64>
    %4 = hetkernel.gemm x(%2 : tensor<?x4xf32>) outs(%3 : tensor<?x8xf64>) {rgnn.kernel = 1 : i64} -> tensor<?x8xf64>
    %5 = hetkernel.gemm x(%4 : tensor<?x8xf64>) outs(%1 : tensor<?x4xf32>) {rgnn.kernel = 2 : i64} -> tensor<?x4xf32>
    %6 = hetkernel.gemm x(%arg1 : tensor<?x4xf32>) outs(%5 : tensor<?x4xf32>) {rgnn.kernel = 3 : i64} -> tensor<?x4xf32>
    return %6 : tensor<?x4xf32>
  }
}"""
    compilation = rgnn._explain.Compilation("forward", False, "", "", False, None, [], [10])
    assert memory.follow(compilation, text) == [
        ("gemm", 320, 0), ("gemm", 320 + 640, 0), ("gemm", 640, 320), ("gemm", 0, 320)]  # fmt: skip
    compilation.sizes.clear()
    assert memory.follow(compilation, text) == []


def test_style_is_packaged():
    from importlib import resources

    assert resources.files(_page.__name__).joinpath("style.css").is_file()
