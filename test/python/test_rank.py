"""rgnn.tune.rank: files of TpuGraphs, what is prepared of them, and how rankings are measured."""

import dataclasses
import itertools

import numpy as np
import pytest
from rgnn.tune.rank import tpugraphs
from rgnn.tune.rank.graphs import ModuleConfigurations, NodeConfigurations
from rgnn.tune.rank.metrics import batched_kendall_tau, kendall_tau, tile_score, top1_regret
from rgnn.tune.rank.packing import Packing
from rgnn.tune.rank.prepare import neighbours, pad_permutations, prune, spread

NODES, FEATURES = 6, 3
# A chain 0 - 1 - 2 - 3, and 4 - 5 apart: 1 is configurable, so that 0, 1 and 2 stay.
EDGES = np.array([[1, 0], [2, 1], [3, 2], [5, 4]])


def layout_arrays(**changes):
    """A module of a layout collection: three configurations of one node, the first and the last of which are equal."""
    numbers = np.arange(NODES * FEATURES, dtype=np.float32).reshape(NODES, FEATURES)
    layouts = np.array([[1, 0, 2, 0, 0, 0], [0] * 6, [2, 1, 0, 3, 0, 0], [0, 1, 0, 0, 0, 0], [5, 4, 3, 2, 1, 0],
                        [0] * 6])  # fmt: skip
    configurations = np.array([[[0, 1, 2, 3, 4, 5]], [[-1, -1, -1, -1, 1, 0]], [[0, 1, 2, 3, 4, 5]]], np.float32)
    return {"node_feat": np.concatenate([numbers, layouts.astype(np.float32)], 1), "edge_index": EDGES,
            "node_opcode": np.array([7, 1, 2, 2, 63, 0], np.uint8), "node_config_feat": configurations,
            "node_config_ids": np.array([1]), "node_splits": np.array([[0, NODES]]),
            "config_runtime": np.array([30, 20, 10])} | changes  # fmt: skip


def tile_arrays(**changes):
    arrays = {key: layout_arrays()[key] for key in ("node_feat", "edge_index", "node_opcode")}
    return arrays | {"config_feat": np.array([[0, 2], [3, 4], [-0.0, 2]], np.float32),
                     "config_runtime": np.array([30, 20, 12]),
                     "config_runtime_normalizers": np.array([10, 10, 3])} | changes  # fmt: skip


def save(folder, arrays):
    path = folder / "resnet50.npz"
    np.savez(path, **arrays)
    return path


def test_layout_file(tmp_path):
    module = tpugraphs.read(save(tmp_path, layout_arrays()))
    assert (module.name, module.kind) == ("resnet50", "layout")
    assert module.numbers.tolist() == [[3 * node, 3 * node + 1, 3 * node + 2] for node in range(NODES)]
    assert module.layouts.tolist() == [[1, 0, 2, -1, -1, -1], [0] + [-1] * 5, [2, 1, 0, 3, -1, -1],
                                       [0, 1, -1, -1, -1, -1], [5, 4, 3, 2, 1, 0], [0] + [-1] * 5]  # fmt: skip
    assert module.ops.tolist() == [7, 1, 2, 2, 63, 0]
    assert module.edges.tolist() == [[1, 2, 3, 5], [0, 1, 2, 4]]
    assert module.configurable.tolist() == [1]
    # Of the two that are equal the faster one stays, where it was.
    assert module.times.tolist() == [20, 10]
    assert module.configurations.features().tolist() == [[[-1, -1, -1, -1, 1, 0]], [[0, 1, 2, 3, 4, 5]]]
    # 0 0 0 0 2 1 and 1 2 3 4 5 6 as digits of base 7, the lowest first.
    assert module.configurations.packed.tolist() == [[[2 * 7**4 + 7**5]], [[1 + 14 + 147 + 1372 + 12005 + 100842]]]
    assert tpugraphs.read(tmp_path / "resnet50.npz", deduplicate=False).times.tolist() == [30, 20, 10]


def test_tile_file(tmp_path):
    module = tpugraphs.read(save(tmp_path, tile_arrays()))
    assert (module.kind, module.configurable.tolist()) == ("tile", [])
    # 30/10 < 12/3: of the two that are equal it is relative times that count.
    assert module.relative_times.tolist() == [3, 2]
    assert module.times.tolist() == [30, 20]
    assert module.configurations.features().tolist() == [[0, 2], [3, 4]]


@pytest.mark.parametrize("arrays", [layout_arrays(), tile_arrays()], ids=["layout", "tile"])
def test_written_files(tmp_path, arrays):
    module = tpugraphs.read(save(tmp_path, arrays))
    tpugraphs.write(tmp_path / "again.npz", module)
    again = tpugraphs.read(tmp_path / "again.npz")
    if module.kind == "tile":  # no order of dimensions: files of RGNN's own are not padded again
        module = dataclasses.replace(module, layouts=np.arange(6 * NODES).reshape(NODES, 6) % 3)
        tpugraphs.write(tmp_path / "again.npz", module)
        again = tpugraphs.read(tmp_path / "again.npz")
    for name in ("numbers", "layouts", "ops", "edges", "configurable", "times", "relative_times"):
        assert np.array_equal(getattr(again, name), getattr(module, name)), name
    assert np.array_equal(again.configurations.features(), module.configurations.features())


def test_large_values_of_configurations(tmp_path):
    features = np.array([[[0, 2**24 + 1]], [[3, 2**24]]])
    module = tpugraphs.read(save(tmp_path, layout_arrays(node_config_feat=features, config_runtime=np.ones(2))))
    tpugraphs.write(tmp_path / "again.npz", module)
    assert np.array_equal(tpugraphs.read(tmp_path / "again.npz").configurations.features(), features)


def without(arrays, key):
    return {name: array for name, array in arrays.items() if name != key}


BAD = {
    "no kind": (without(layout_arrays(), "node_config_feat"), "expected one of node_config_feat and config_feat, got"),
    "a key": (without(layout_arrays(), "node_config_ids"), "expected node_config_ids, got config_runtime, edge_index"),
    "dimensions": (layout_arrays(node_opcode=np.zeros((NODES, 1), int)), "node_opcode: expected 1 dimensions, got 2"),
    "nodes": (layout_arrays(node_opcode=np.zeros(4, int)), r"node_opcode: expected \[6\], got \[4\]"),
    "ends": (layout_arrays(edge_index=EDGES.T), r"edge_index: expected \[E, 2\], got \[2, 4\]"),
    "times": (tile_arrays(config_runtime=np.ones(2)), r"config_feat: expected \[2, D\], got \[3, 2\]"),
    "dtype": (layout_arrays(node_opcode=np.ones(NODES)), "node_opcode: expected integers, got float64"),
    "text": (layout_arrays(config_runtime=np.array(["a", "b", "c"])), "config_runtime: expected numbers, got <U1"),
    "nan": (layout_arrays(config_runtime=np.array([1, np.nan, 2])), "config_runtime: expected finite numbers, got nan"),
    "zero": (layout_arrays(config_runtime=np.array([1, 0, 2])), "config_runtime: expected positive numbers, got 0"),
    "edge": (layout_arrays(edge_index=EDGES + 1), "edge_index: expected nodes below 6, got 6"),
    "node": (layout_arrays(node_config_ids=np.array([-1])), "node_config_ids: expected nodes below 6, got -1"),
    "twice": (layout_arrays(node_config_ids=np.array([1, 1]), node_config_feat=np.zeros((3, 2, 6))),
              r"node_config_ids: expected each node once, got \[1, 1\]"),
    "fraction": (layout_arrays(node_config_feat=np.full((3, 1, 6), 0.5)), "expected integers from -1 on, got 0.5"),
    "layout": (layout_arrays(node_feat=np.full((NODES, 9), 0.5)), "node_feat: expected integers from -1 on, got 0.5"),
    "none": (layout_arrays(node_config_feat=np.zeros((3, 0, 6)), node_config_ids=np.zeros(0, int)),
             "expected configurable nodes, got none"),
    "few": (layout_arrays(node_feat=np.zeros((NODES, 5))), "node_feat: expected at least 6 features, got 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files(tmp_path, name):
    arrays, message = BAD[name]
    with pytest.raises(ValueError, match=f"resnet50.npz: .*{message}"):
        tpugraphs.read(save(tmp_path, arrays))


def test_no_files(tmp_path):
    with pytest.raises(ValueError, match="expected .npz files, got none in"):
        tpugraphs.find([tmp_path])
    with pytest.raises(ValueError, match="expected a file or folder, got nowhere, which is not there"):
        tpugraphs.find(["nowhere"])
    (tmp_path / "text.npz").write_text("no arrays")
    with pytest.raises(ValueError, match="text.npz: expected an .npz file of arrays"):
        tpugraphs.read(tmp_path / "text.npz")
    np.savez(tmp_path / "pickle.npz", node_feat=np.array([{}]))
    with pytest.raises(ValueError, match="pickle.npz: expected an .npz file of arrays"):
        tpugraphs.read(tmp_path / "pickle.npz")


def test_mixed_collections(tmp_path):
    np.savez(tmp_path / "a.npz", **layout_arrays())
    np.savez(tmp_path / "b.npz", **tile_arrays())
    with pytest.raises(ValueError, match="b.npz: expected a file of a layout collection like those before, got tile"):
        list(tpugraphs.read_all([tmp_path]))
    assert [module.name for module in tpugraphs.read_all([tmp_path / "b.npz", tmp_path / "b.npz"])] == ["b", "b"]


def test_pruning(tmp_path):
    module = prune(tpugraphs.read(save(tmp_path, layout_arrays())))
    assert module.ops.tolist() == [7, 1, 2]
    assert module.numbers[:, 0].tolist() == [0, 3, 6]
    assert module.edges.tolist() == [[1, 2], [0, 1]]
    assert module.configurable.tolist() == [1]
    assert spread(module)[1].tolist() == [[-1] * 6, [0, 1, 2, 3, 4, 5], [-1] * 6]


def test_edges_among_neighbours_stay(tmp_path):
    edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])
    module = prune(tpugraphs.read(save(tmp_path, layout_arrays(edge_index=edges))))
    assert module.edges.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_modules_without_configurable_nodes_stay(tmp_path):
    module = tpugraphs.read(save(tmp_path, tile_arrays()))
    assert prune(module) is module
    with pytest.raises(TypeError, match="resnet50: expected configurations of nodes, got those of a module"):
        spread(module)


def test_neighbours():
    edges = neighbours(np.array([[0, 1, 0, 2], [1, 0, 1, 2]]))
    assert edges.T.tolist() == [[0, 1], [1, 0], [2, 2]]


def test_orders_of_all_ranks():
    for rank in range(1, 7):
        for order in itertools.permutations(range(rank)):
            padded = pad_permutations(np.array([[*order, *[0] * (6 - rank)]]))
            assert padded.tolist() == [[*order, *[-1] * (6 - rank)]]


# ---- packing ---------------------------------------------------------------------------------------------------------


def test_packing_of_tpugraphs():
    packing = Packing.tpugraphs(18)
    assert packing.groups == (6, 6, 6)
    random = np.random.default_rng(0).integers(-1, 6, (50, 4, 18))
    ends = np.array([[[-1] * 18, [5] * 18]])
    for features in (random, ends):
        packed = packing.pack(features)
        assert packed.dtype == np.int32 and packed.shape == (*features.shape[:2], 3)
        assert np.array_equal(packing.unpack(packed), features)
    assert packing.pack(ends).tolist() == [[[0, 0, 0], [7**6 - 1] * 3]]
    with pytest.raises(ValueError, match="expected a multiple of 6 fields, got 8"):
        Packing.tpugraphs(8)


def test_mixed_bases():
    """Digits 2, 1, 0 of bases 3, 2, 1000: 2 + 3 * 1."""
    packing = Packing.mixed([-1, 5, 0], [3, 2, 1000])
    assert packing.pack(np.array([1, 6, 0])).tolist() == [5]
    assert packing.pack(np.array([1, 6, 10])).tolist() == [5 + 6 * 10]
    everything = np.array(list(itertools.product([-1, 0, 1], [5, 6], range(1000))))
    packed = packing.pack(everything)
    assert np.array_equal(np.sort(packed[:, 0]), np.arange(6000))
    assert np.array_equal(packing.unpack(packed), everything)


def test_more_values_than_an_integer_has():
    sizes = [2**40, 2**23, 2, 3, 1, 2**62]
    packing = Packing.mixed([0] * 6, sizes)
    assert packing.groups == (2, 3, 1)
    features = np.array([[size - 1 for size in sizes], [0] * 6, [2**39 + 3, 17, 1, 2, 0, 2**61 + 5]])
    assert np.array_equal(packing.unpack(packing.pack(features)), features)


@pytest.mark.parametrize("least, most, fields", [(-1, 6, 6), (0, 40, 5), (3, 4, 6), (0, 1, 1), (-1, 5, 12)])
def test_packing_that_fits(least, most, fields):
    features = np.random.default_rng(0).integers(least, most, (20, 3, fields))
    configurations = NodeConfigurations.of(features)
    assert (len(configurations), configurations.fields) == (20, fields)
    assert np.array_equal(configurations.features(), features)
    assert configurations.packing.most >= features.max()


@pytest.mark.parametrize("shape", [(0, 3, 6), (4, 0, 6), (4, 3, 0)])
def test_packing_of_nothing(shape):
    assert NodeConfigurations.of(np.zeros(shape)).features().shape == shape


def test_what_a_packing_refuses():
    packing = Packing.mixed([0, 0], [2, 3])
    with pytest.raises(ValueError, match="field 1: expected integers from 0 to 2, got 3"):
        packing.pack(np.array([[1, 2], [1, 3]]))
    with pytest.raises(ValueError, match="field 0: expected integers from 0 to 1, got 0.5"):
        packing.pack(np.array([[0.5, 2]]))
    with pytest.raises(ValueError, match="expected 2 fields, got 3"):
        packing.pack(np.array([[1, 2, 3]]))


# ---- metrics ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scores, times, tau", [
    ([1, 2, 3, 4], [10, 20, 30, 40], 1), ([4, 3, 2, 1], [10, 20, 30, 40], -1),
    # Of six pairs one is ordered otherwise.
    ([1, 3, 2, 4], [10, 20, 30, 40], 4 / 6),
    # One pair of scores ties: it counts 0, and is one of the six.
    ([1, 1, 2, 3], [10, 20, 30, 40], 5 / 6), ([1, 2, 3, 4], [10, 10, 30, 40], 5 / 6),
    # The same pair ties in both.
    ([1, 1, 2, 3], [10, 10, 30, 40], 5 / 6),
    # (0, 1) ties in scores and (1, 2) in times; (0, 2) is right, and so are the three with 3.
    ([1, 1, 2, 3], [10, 20, 20, 40], 4 / 6),
    ([5, 5, 5], [1, 2, 3], 0), ([1, 2], [2, 1], -1),
])  # fmt: skip
def test_kendall(scores, times, tau):
    assert kendall_tau(np.array(scores), np.array(times)) == pytest.approx(tau, abs=1e-15)


@pytest.mark.parametrize("count, values", [(2, 9), (3, 2), (31, 5), (64, 200), (65, 7), (200, 1000)])
def test_kendall_by_its_definition(count, values):
    draw = np.random.default_rng(count)
    scores, times = draw.normal(size=count).round(1), draw.integers(values, size=count)
    signs = np.sign(scores[:, None] - scores) * np.sign(times[:, None] - times)
    assert kendall_tau(scores, times) == pytest.approx(np.triu(signs).sum() * 2 / (count * (count - 1)), abs=1e-12)


def test_batches_of_configurations():
    """Two of them, 1 and 1/3; what is left over is one configuration, and no batch."""
    scores, times = np.array([1, 2, 3, 1, 3, 2, 0]), np.array([1, 2, 3, 1, 2, 3, 9])
    assert batched_kendall_tau(scores, times, 3) == pytest.approx((1 + 1 / 3) / 2)
    assert batched_kendall_tau(scores, times) == kendall_tau(scores, times)


def test_times_of_the_best():
    times = np.array([8.0, 12, 10, 9, 16, 20, 24])
    scores = np.array([9, 1, 2, 8, 3, 4, 5])
    # The best five take 12, 10, 16, 20, 24; the least time is 8.
    assert tile_score(scores, times) == 2 - 10 / 8
    assert top1_regret(scores, times) == 12 / 8 - 1
    assert tile_score(times, times) == 1 and top1_regret(times, times) == 0
    assert tile_score(np.zeros(7), times, top=1) == 1


@pytest.mark.parametrize("scores, times, message", [
    ([1], [1], "expected at least 2 configurations, got 1"),
    ([1, 2], [1, 2, 3], r"expected as many scores as times, got \[2\] and \[3\]"),
    ([1, float("nan")], [1, 2], "scores: expected finite numbers, got nan"),
    ([1, 2], [1, float("inf")], "times: expected finite numbers, got inf"),
])  # fmt: skip
def test_what_is_not_ranked(scores, times, message):
    with pytest.raises(ValueError, match=message):
        kendall_tau(np.array(scores), np.array(times))


def test_configurations_of_modules():
    configurations = ModuleConfigurations(np.arange(6, dtype=np.float32).reshape(3, 2))
    assert (len(configurations), configurations.fields) == (3, 2)
    assert configurations.at(np.array([2, 0])).features().tolist() == [[4, 5], [0, 1]]
