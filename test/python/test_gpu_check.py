"""The GPU check on a CPU: what it brings along, runs, keeps and reports, but for what is CUDA's own."""

import csv
import gzip
import io
import json
import math
import pathlib
import shutil
import subprocess
import sys

import pytest
import rgnn
import torch

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
GPU = REPOSITORY / "benchmark" / "gpu"
sys.path[:0] = [str(GPU), str(REPOSITORY / "benchmark")]

pyg_peer = pytest.importorskip("peers.pyg_peer")
import bundle  # noqa: E402
import formulas  # noqa: E402
import locate  # noqa: E402
import roofline  # noqa: E402
import sanitizer  # noqa: E402
from device_problem import MODELS, DeviceProblem  # noqa: E402
from report import is_wrong  # noqa: E402
from worker import compare_gradients, compare_rows  # noqa: E402

CPU = torch.device("cpu")
GRAPH = "synthetic:aifb:0.02"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small bundle for CPUs."""
    folder = tmp_path_factory.mktemp("gpu") / "bundle"
    options = ["--target", "cpu", "--cases", "rgcn-mean,hgt-parallel", "--datasets", GRAPH, "--widths", "16"]
    assert bundle.main([str(folder), *options]) == 0
    return folder


def run(folder, *options):
    """The runner of a bundle, as a machine without the compiler starts it."""
    runner = folder / "benchmark" / "gpu" / "run.py"
    command = [sys.executable, runner, "--device", "cpu", "--seconds", "0.01", *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)


def results(folder, part):
    return {path.stem: json.loads(path.read_text()) for path in (folder / "results" / part).glob("*.json")}


@pytest.mark.long
def test_all_parts(made):
    done = run(made, "--peers", "rgnn,pyg,plain")
    assert done.returncode == 0, done.stdout + done.stderr
    machine = results(made, "machine")["machine"]
    assert machine["rgnn"].startswith(str(made)) and not machine["compiler"]  # nothing of the checkout
    assert 0 < machine["bandwidth"] < math.inf and 0 < machine["float32"] < math.inf

    layers = results(made, "correctness")
    assert sorted(layers) == ["hgt-parallel-float32", "hgt-parallel-float64", "rgcn-mean-float32", "rgcn-mean-float64"]
    assert all(layer["status"] == "ok" and layer["graphs"] == 6 for layer in layers.values())
    assert all(layers[name]["error"] <= 1e-10 for name in layers if name.endswith("float64"))

    cells = results(made, "benchmark")
    assert len(cells) == 3 * 2 * 3  # models, modes, peers
    for cell in cells.values():
        assert cell["status"] == "ok" and cell["error"] <= (1e-4 if cell["model"] == "hgt" else 1e-5)
        assert 0 < cell["least"] <= cell["median"] < math.inf and 0 < cell["first"] < math.inf
    with (made / "results" / "report.csv").open() as file:
        assert sum(1 for _ in csv.DictReader(file)) == len(cells)
    text = (made / "results" / "report.md").read_text()
    assert text.count(f"| {GRAPH} |") == 6 and "| correctness | 4 | 0 | 0 |" in text and "## Wrong" not in text


def test_failures(made, tmp_path):
    """A wrong number, a damaged file and a unit that ends its process are seen, and measured again when asked for."""
    folder = tmp_path / "bundle"
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns("results"))
    expected = folder / "cases" / "rgcn-mean-float64.pt.gz"
    with gzip.open(expected) as file:
        case = torch.load(io.BytesIO(file.read()), weights_only=True)
    gradient = case["graphs"][1]["expected"][-1]
    gradient.view(-1)[gradient.abs().argmax()] *= 1 + 1e-6
    with gzip.open(expected, "wb") as file:
        torch.save(case, file)
    (folder / "cases" / "hgt-parallel-float32.rgnn").write_bytes(b"damaged")
    part = folder / "benchmark" / "gpu" / "correctness.py"
    dies = """
    if unit["name"] == "hgt-parallel-float64":
        import os, signal
        os.kill(os.getpid(), signal.SIGSEGV)
    model, case = load("""
    part.write_text(part.read_text().replace("    model, case = load(", dies))

    done = run(folder, "--parts", "correctness")
    assert done.returncode == 1 and "4 of 4 units done, 3 wrong" in done.stdout
    found = {name: one["status"] for name, one in results(folder, "correctness").items()}
    last = len(case["errors"]) - 1
    assert found["rgcn-mean-float64"] == f"wrong: large: result {last}: error 1.0e-06, bound 1.0e-10"
    assert found["hgt-parallel-float32"].startswith("LoadError")
    assert found["hgt-parallel-float64"].startswith("died (SIGSEGV)")
    assert found["rgcn-mean-float32"] == "ok"
    text = (folder / "results" / "report.md").read_text()
    assert "## Wrong" in text and "- correctness, hgt-parallel-float32: LoadError" in text

    for path in (expected, part):
        shutil.copy(made / path.relative_to(folder), path)
    kept = folder / "results" / "correctness" / "rgcn-mean-float32.json"
    before = kept.stat().st_mtime_ns
    out_of_time = run(folder, "--parts", "correctness", "--again", "--minutes", "0")
    assert out_of_time.returncode == 75 and "3 units left: run the same command again" in out_of_time.stdout
    assert run(folder, "--parts", "correctness").returncode == 1  # one is still damaged
    found = {name: one["status"] for name, one in results(folder, "correctness").items()}
    assert found.pop("hgt-parallel-float32").startswith("LoadError") and set(found.values()) == {"ok"}
    assert kept.stat().st_mtime_ns == before  # what is there is not measured again


@pytest.mark.parametrize("training", [False, True], ids=["rows", "gradients"])
@pytest.mark.parametrize("model", MODELS)
def test_formulas(model, training):
    """What peers are compared with where PyG is not at hand is what PyG computes."""
    problem = DeviceProblem(model, GRAPH, 16, CPU)
    found = formulas.reference(problem, training, most=100)
    if not training:
        assert compare_rows(found, pyg_peer.reference(problem))[1] <= 1e-12
        return
    wanted = pyg_peer.reference_gradients(problem)
    parameters = {name: torch.nn.Parameter(torch.zeros_like(value)) for name, value in found.items()}
    for name, parameter in parameters.items():
        parameter.grad = found[name]
    assert parameters.keys() >= {name for name, value in wanted.items() if value.abs().max() > 1e-12}
    assert compare_gradients(parameters, wanted)[1] <= 1e-9


def test_bound():
    """By hand: RGCN on aifb's sizes of another kind."""
    problem = DeviceProblem("rgcn", GRAPH, 16, CPU)
    graph, types = problem.graph, problem.graph.num_edge_types
    pairs = round(graph.num_edges * min(graph.compaction_ratio("src"), graph.compaction_ratio("dst")))
    moved, operations = roofline.work("rgcn", graph, 16, training=False)
    assert moved == 4 * (2 * 16 * graph.num_nodes + (types + 1) * 256 + 2 * graph.num_edges + graph.num_nodes)
    assert operations == 2 * 256 * (pairs + graph.num_nodes)
    assert roofline.bound(moved, operations, {"bandwidth": moved / 3, "float32": operations / 2}) == pytest.approx(3)
    assert roofline.bound(moved, operations, {"bandwidth": moved / 3, "float32": operations / 5}) == pytest.approx(5)


CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
RACE = """========= COMPUTE-SANITIZER
========= Error: Race reported between Read and Write
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


HIT = '========= Program hit CUDA_ERROR_{} (error {}) due to "no" on CUDA API call to cuModuleLoadData.\n'
REFUSED = HIT.format("NO_BINARY_FOR_GPU", 209) + "========= ERROR SUMMARY: 1 errors\n"


@pytest.mark.parametrize("code, out, status", [
    (9, REFUSED + sanitizer.DONE, "ok"),  # code for a newer GPU, which the driver was asked for first
    (9, REFUSED, f"wrong: {REFUSED.splitlines()[0][10:]}"),  # and the program did not end
    (9, REFUSED.replace("1 errors", "2 errors") + sanitizer.DONE, f"wrong: {REFUSED.splitlines()[0][10:]}"),
    (9, REFUSED.replace("NO_BINARY_FOR_GPU", "ILLEGAL") + sanitizer.DONE,
     f"wrong: {HIT.format('ILLEGAL', 209).strip()[10:]}"),
    (0, CLEAN, "ok"),
    (0, "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", "ok"),
    (9, RACE, "wrong: Error: Race reported between Read and Write"),
    (9, CLEAN, "wrong: ERROR SUMMARY: 0 errors"),
    (1, "", "wrong: exit 1: no module"),
    (0, "", "wrong: exit 0: no module"),
])  # fmt: skip
def test_judgement_of_the_sanitizer(code, out, status):
    assert sanitizer.judge(code, out, "trace\nno module\n") == status


def test_what_counts_as_wrong():
    assert is_wrong({"part": "streams", "status": "wrong: differs"})
    assert not is_wrong({"part": "sanitizer", "status": "absent: no tool"})
    assert is_wrong({"part": "benchmark", "peer": "rgnn", "status": "out of memory"})
    assert not is_wrong({"part": "benchmark", "peer": "pyg", "status": "out of memory"})


# ---- where a step goes wrong -----------------------------------------------------------------------------------------


def test_models_for_gpus_run_on_both(tmp_path, monkeypatch):
    bundle.write_model(tmp_path, "rgat", GRAPH, 16, "cuda")
    assert "sm_90" in rgnn.inspect(next(tmp_path.glob("*.rgnn"))).gpus
    monkeypatch.setattr(locate.layout, "MODULES", tmp_path)
    assert locate.Step(locate.Rgnn(DeviceProblem("rgat", GRAPH, 16, CPU))).found


@pytest.fixture
def steps(made, monkeypatch):
    """The same training step twice, as on two devices."""
    monkeypatch.setattr(locate.layout, "MODULES", made / "modules")
    return [locate.Step(locate.Rgnn(DeviceProblem("hgt", GRAPH, 16, CPU))) for _ in range(2)]


def largest(steps):
    return {title: found[0] for title, found in locate.report(*steps).items()}


def test_equal_steps(steps):
    found = largest(steps)
    assert len(found) == 6 and all(error == 0 for error, _ in found.values()), found


def test_a_wrong_backward_is_found(steps):
    number, name = next((number, name) for number, name in steps[1].names.items() if name.startswith("p_rel"))
    backward = steps[1].training.backward
    place = steps[1].training._gradients.index(number)

    def wrong(arguments):
        gradients = list(backward(arguments))
        gradients[place] = gradients[place] * 1.5
        return gradients

    steps[1].found[number] = steps[1].found[number] * 1.5
    steps[1].training.backward = wrong
    found = largest(steps)
    equal = {"saved by the forward", "gradients of the results", "gradients, the same call again"}
    assert {title for title, (error, _) in found.items() if error == 0} == equal
    assert all(value == pytest.approx((0.5, name)) for title, value in found.items() if title not in equal)


def test_a_wrong_forward_is_found(steps):
    device, training = steps[1], steps[1].training
    number, place = training._kept_results[0], len(training._kept_inputs)
    device.kept = [*device.kept[:place], device.kept[place] + 1, *device.kept[place + 1 :]]
    found = largest(steps)
    error, name = found["saved by the forward"]
    assert error > 0.1 and name == f"result {number}"
    # Its backward, which is right, had what was saved before that.
    wrong = {title for title, (error, _) in found.items() if error}
    assert wrong == {"saved by the forward", "gradients, the processor's of what the device saved",
                     "gradients, the same call again"}  # fmt: skip


def test_differences():
    nan = torch.tensor([float("nan")])
    one, other = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])
    found = locate.differences({"a": one, "b": nan, "c": one}, {"a": other, "b": nan, "d": one})
    assert found == [(float("inf"), "d"), (float("inf"), "c"), (float("inf"), "b"), (0.5, "a")]
    empty = torch.zeros(0)
    assert locate.differences({"a": empty}, {"a": empty}) == [(0.0, "a")]
