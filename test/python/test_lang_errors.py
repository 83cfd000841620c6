"""Functions that are wrong, each in a way of its own: the error names the line that is marked, and says what to do."""

import linecache
import re
import textwrap

import pytest
import rgnn
import torch
from lang_checks import R, T, graph_of, tensor

F64 = torch.float64

# Of each: the body of a function, whose wrong line is marked with "#!", and what is said of it.
WRONG = {
    "a branch on data": ("""
        for e in g.edges():
            if e["a"]:  #!
                e["b"] = e["a"]
        return g.edata["b"]""", r"Python cannot branch on it.* write rgnn\.lang\.where"),
    "a branch on a comparison": ("""
        for e in g.edges():
            e["b"] = e["a"] if e["a"] > 0 else 0.0  #!
        return g.edata["b"]""", r"Python cannot branch on it.* write rgnn\.lang\.where"),
    "max of Python": ("""
        for e in g.edges():
            e["b"] = max(e["a"], e.src["s"])  #!
        return g.edata["b"]""", r"write rgnn\.lang\.where"),
    "float of data": ("""
        for e in g.edges():
            e["b"] = float(e["a"])  #!
        return g.edata["b"]""", "expected a number that Python knows, got a value of an edge of shape"),
    "data that another iteration writes": ("""
        for n in g.dst_nodes():
            for e in n.incoming_edges():
                n["z"] += e.src["h"]  #!
            n["h"] = n["z"]
        return g.ndata["h"]""", 'it reads "h" of a node, which another iteration of the loop writes: .*other data'),
    "a sum that is not complete": ("""
        for e in g.edges():
            e.dst["z"] += e["a"]
            e["b"] = e.dst["z"]  #!
        return g.edata["b"]""", 'it reads "z" of a node, .* accumulates: read it in a later loop'),
    "several writers": ("""
        for e in g.edges():
            e.dst["z"] = e["a"]  #!
        return g.ndata["z"]""", r'it writes "z" of a node that other iterations write too: .*add up, n\["sum"\] \+='),
    "an unknown name": ("""
        for e in g.edges():
            e["b"] = e["aa"] * 2  #!
        return g.edata["b"]""", 'expected data of edges, "a", got "aa"'),
    "a name of the other domain": ("""
        for e in g.edges():
            e["b"] = e["h"] * 2  #!
        return g.edata["b"]""", r'expected data of edges, "a", got "h"; n\["h"\] is data of nodes'),
    "a result that nothing wrote": ("""
        for e in g.edges():
            e["b"] = e["a"]
        return g.ndata["b"]  #!""", r'expected data of nodes, "h", "s", got "b"; e\["b"\] is data of edges'),
    "a name that is no text": ("""
        for e in g.edges():
            e[0] = e["a"]  #!
        return g.edata["b"]""", 'expected the name of data, such as "h", got 0'),
    "shapes of a product": ("""
        for e in g.edges():
            e["b"] = rgnn.lang.linear(e.src["h"], v[e.src.ntype])  #!
        return g.edata["b"]""", r"linear: expected x \[\.\.\., K\] and a weight \[K, N\], got \[4\] and \[2, 4\]"),
    "shapes of an inner product": ("""
        for e in g.edges():
            e["b"] = rgnn.lang.dot(e.src["h"], b)  #!
        return g.edata["b"]""", r"dot: expected two vectors of one size, got shapes \[4\] and \[3\]"),
    "shapes that do not broadcast": ("""
        for e in g.edges():
            e["b"] = e.src["h"] + b  #!
        return g.edata["b"]""", r"add: expected shapes that broadcast, got \[4\] and \[3\]"),
    "shapes of one name": ("""
        for e in g.edges():
            e["b"] = e["a"]
            e["b"] = e.src["h"]  #!
        return g.edata["b"]""", r'e\["b"\]: expected shape \[\], as before, got \[4\]: use another name'),
    "a shape of other size": ("""
        for n in g.nodes():
            n["y"] = n["h"].reshape(3, 2)  #!
        return g.ndata["y"]""", r"reshape: expected sizes of 4 numbers for shape \[4\], got \[3, 2\]"),
    "shapes that are joined": ("""
        for n in g.nodes():
            n["y"] = rgnn.lang.concat(n["h"], n["h"].reshape(2, 2))  #!
        return g.ndata["y"]""", r"concat: expected shapes that differ in dimension 0 alone, got \[4\] and \[2, 2\]"),
    "a number beyond the end": ("""
        for n in g.nodes():
            n["y"] = n["h"][4]  #!
        return g.ndata["y"]""", r"expected a number from -4 to 3 for dimension 0 of \[4\], got 4"),
    "a loop that is left": ("""
        for e in g.edges():  #!
            e["b"] = e["a"]
            break
        return g.edata["b"]""", "the loop is left before its end.* leave out break"),
    "an edge after its loop": ("""
        for e in g.edges():
            e["b"] = e["a"]
        for n in g.nodes():
            n["y"] = e["b"]  #!
        return g.ndata["y"]""", "expected an edge of a loop around it, got one of the loop at line 2, which has ended"),
    "a value after its loop": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                z = e["a"] * 2
            n["y"] = z  #!
        return g.ndata["y"]""", r'a value of the loop at line 3 is used after it: expected data .* n\["sum"\] \+='),
    "a loop over the graph in a loop": ("""
        for n in g.nodes():
            for e in g.edges():  #!
                n["y"] += e["a"]
        return g.ndata["y"]""", r"g\.edges\(\) within a loop: expected n\.incoming_edges\(\)"),
    "edges of another node": ("""
        for e in g.edges():
            for f in e.src.incoming_edges():  #!
                e["b"] = f["a"]
        return g.edata["b"]""", r"incoming_edges\(\) of an edge's end: .* earlier loop, and read what it left"),
    "pairs of edges of two kinds": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                for f in n.outgoing_edges():  #!
                    n["y"] += e["a"] * f["a"]
        return g.ndata["y"]""", r"expected .* for pairs of edges another one over the same, incoming_edges\(\)"),
    "three edges": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                for f in n.incoming_edges():
                    for d in n.incoming_edges():  #!
                        e["y"] += torch.relu(f["a"] - d["a"])
        return g.edata["y"]""", "expected one loop over edges within one over nodes"),
    "data of the other edge that the loop around writes": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                e["b"] = e["a"] * 2
                for f in n.incoming_edges():
                    e["y"] += torch.relu(e["a"] - f["b"])  #!
        return g.edata["y"]""", r'it reads "b" of an edge, which another iteration of the loop writes'),
    "a sum of the other edge that is not whole": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                for f in n.incoming_edges():
                    f["sum"] += torch.relu(e["a"] - f["a"])
                e["y"] = e["sum"] * 2  #!
        return g.edata["y"]""", r'it reads "sum" of an edge, which another iteration of the loop accumulates'),
    "data outside a loop": ("""
        z = g.ndata["h"] * 2  #!
        return z""", r'data of the whole graph is there to be returned; compute in a loop: for n in g\.nodes\(\)'),
    "an argument outside a loop": ("""
        z = h * 2  #!
        return z""", r'h is data of nodes, with a row for each: expected n\["h"\] of an element of a loop'),
    "data of the whole graph that is set": ("""
        g.ndata["y"] = 0.0  #!
        return g.ndata["y"]""", r'expected a loop that writes it: for n in g\.nodes\(\): n\["y"\] = \.\.\.'),
    "a result that is none": ("""
        for n in g.nodes():
            n["y"] = n["h"]
        return n["y"]  #!""", "expected a loop around it"),
    "a method that is none": ("""
        for n in g.nodes():
            n["y"] = n["h"].max()  #!
        return g.ndata["y"]""", r"a value of a node of shape \[.*\] has no 'max': expected a function of rgnn"),
    "a sum over no dimension": ("""
        for n in g.nodes():
            n["y"] = n["h"].reshape(2, -1).sum()  #!
        return g.ndata["y"]""", r"sum: expected a dimension of a value of a node of shape \[.*\], such as dim=-1"),
    "a softmax over another dimension": ("""
        for n in g.nodes():
            n["y"] = rgnn.lang.softmax(n["h"].reshape(2, -1), dim=0)  #!
        return g.ndata["y"]""", r"softmax: expected the last dimension of a row of shape \[.*\], dim=-1, got dim=0"),
    "no result": ("""
        for n in g.nodes():
            n["y"] = n["h"]""", r'f returns nothing: expected data of the graph, such as return g\.ndata\["y"\]'),
    "a type as a number": ("""
        for e in g.edges():
            e["b"] = e["a"] * e.etype  #!
        return g.edata["b"]""", r"a type picks the entry of a weight, w\[e\.etype\] or w\[n\.ntype\], and is no"),
    "numbers of types that differ": ("""
        for e in g.edges():
            e["b"] = rgnn.lang.sum(w[e.etype][0]) + rgnn.lang.sum(v[e.etype])  #!
        return g.edata["b"]""", r"expected a weight with 3 entries, one for each type of edge as at line 3, got 2"),
    "a tensor from outside": ("""
        for n in g.nodes():
            n["y"] = n["h"] * torch.ones(4)  #!
        return g.ndata["y"]""", r"a tensor from outside: expected an argument of the function, w: rgnn\.W"),
    "a name of an attribute": ("""
        for n in g.nodes():
            n.y = n["h"]  #!
        return g.ndata["y"]""", r'n\.y = \.\.\.: expected data by its name, n\["y"\]'),
    "an attribute of edges": ("""
        for e in g.edges():
            e["b"] = e.source["h"]  #!
        return g.edata["b"]""", r'e\.source: expected src, dst and etype, or data by its name, e\["source"\]'),
    "a maximum of what has a value": ("""
        for n in g.nodes():
            n["m"] = 0.0
            for e in n.incoming_edges():
                n.accumulate("max", "m", e["a"])  #!
        return g.ndata["m"]""", r'the max of n\["m"\] starts from a value that is there: leave out what wrote it'),
    "another kind of reduction": ("""
        for e in g.edges():
            e.dst.accumulate("median", "m", e["a"])  #!
        return g.ndata["m"]""", "expected 'sum', 'mean', 'max' or 'min', got 'median'"),
    "a product in place": ("""
        for n in g.nodes():
            n["h"] *= 2  #!
        return g.ndata["h"]""", r'n\["h"\] \*= \.\.\.: expected \+= and -=, or n\["h"\] = n\["h"\] \* \.\.\.'),
    "a sum under another name": ("""
        for n in g.nodes():
            for e in n.incoming_edges():
                z = n["z"]
                z += e["a"]
                n["y"] = z  #!
        return g.ndata["y"]""", r'expected the sum to be that of the same data, n\["y"\], got that of n\["z"\]'),
    "a number of edges": ("""
        for n in g.nodes():
            n["y"] = n["h"] / len(n.incoming_edges())  #!
        return g.ndata["y"]""", r'incoming_edges\(\) is for loops alone: .* n\["degree"\] \+= 1\.0'),
    "a function of PyTorch's": ("""
        for n in g.nodes():
            n["y"] = torch.fft.fft(n["h"])  #!
        return g.ndata["y"]""", r"torch\.fft_fft: expected a function of rgnn\.lang, or one of PyTorch's that it has"),
    "a statement outside a loop": ("""
        for n in g.nodes():
            pass
        n["y"] = 1.0  #!
        return g.ndata["y"]""", "expected a loop around it"),
    "a row of a text": ("""
        for n in g.nodes():
            n["y"] = n["h"] + "1"  #!
        return g.ndata["y"]""", "expected data of a node or edge, a weight or a number, got str"),
    "a count in Python": ("""
        for n in g.nodes():
            k = 0
            for e in n.incoming_edges():
                n["y"] += e["a"]
                k += 1
            n["z"] = n["y"] / k
        return g.ndata["z"]""", r'f counts or collects in Python what its loops visit; .* n\["degree"\] \+= 1\.0'),
    "a number of the loop": ("""
        for i, n in enumerate(g.nodes()):
            n["y"] = n["h"] + i
        return g.ndata["y"]""", "f counts or collects in Python what its loops visit"),
    "rows that are collected": ("""
        for n in g.nodes():
            rows = [e["a"] for e in n.incoming_edges()]
            n["y"] = n["h"] * len(rows)
        return g.ndata["y"]""", "f counts or collects in Python what its loops visit"),
    "a comparison of nodes": ("""
        for e in g.edges():
            if e.src != e.dst:  #!
                e["b"] = e["a"]
        return g.edata["b"]""", "which node or edge it is differs from one to the next: give"),
    "nodes in a set": ("""
        seen = set()
        for e in g.edges():
            seen.add(e.dst)  #!
        return g.edata["a"]""", "which node or edge it is differs from one to the next"),
    "a step": ("""
        for n in g.nodes():
            n["y"] = n["h"][::2]  #!
        return g.ndata["y"]""", "expected a slice without a step, got 2"),
}
HEADER = "def f(g, h: rgnn.Node, s: rgnn.Node, a: rgnn.Edge, w: rgnn.Weight, v: rgnn.Weight, b: rgnn.Weight):"


def made(body, name):
    """The function, from a file that there is not: as a notebook makes one."""
    source = f"{HEADER}\n{textwrap.indent(textwrap.dedent(body.lstrip(chr(10))), '    ')}\n"
    file = f"<{name}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    scope = {"rgnn": rgnn, "torch": torch}
    exec(compile(source, file, "exec"), scope)
    marked = [number for number, line in enumerate(source.splitlines(), 1) if "#!" in line] or [1]
    return rgnn.function(scope["f"]), f"{file}:{marked[0]}: "


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    body, said = WRONG[name]
    function, where = made("\n" + body, name)
    graph = graph_of(5, 9)
    with pytest.raises(rgnn.LanguageError) as error:
        function(graph, tensor(5, 4), tensor(5), tensor(9), tensor(R, 4, 4), tensor(T, 2, 4), tensor(3))
    assert str(error.value).startswith(where), f"{where}: {error.value}"
    assert re.search(said, str(error.value)), error.value


def test_there_are_many():
    assert len(WRONG) >= 30
