"""Random functions of the language: compiled code against PyTorch's operators, which run each statement by itself."""

import warnings

import lang_random
import pytest
from lang_checks import close, gradients, graph_of
from rgnn.lang.evaluate import Ends, evaluate


def in_pytorch(version, graph, arguments):
    ends = Ends(*graph.edge_index, graph.edge_type, graph.node_type, graph.num_nodes)
    program = version.program
    data = [arguments[data.name] for data in program.inputs]
    return evaluate(program, ends, data, [arguments[name] for name in program.weights])


@pytest.mark.parametrize("seed", range(10, 16))
def test_random(seed):
    function, make = lang_random.make(seed)
    for nodes, edges in ((6, 14), (4, 0), (5, 5)):
        graph, arguments = graph_of(nodes, edges), make(nodes, edges)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            got = function(graph, **arguments)
        expected = in_pytorch(function.versions[0], graph, arguments)
        for number, pair in enumerate(zip(got, expected, strict=True)):
            close(*pair, f"result {number}")
        sources = list(arguments.values())
        found = [gradients(results, sources) for results in (got, expected)]
        for name, source, one, other in zip(arguments, sources, *found, strict=True):
            zeros = source.detach() * 0
            close(zeros if one is None else one, zeros if other is None else other, f"gradient of {name}")
    assert len(function.versions) == 1 and function.versions[0].code.region is not None
