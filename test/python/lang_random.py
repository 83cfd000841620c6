"""Random functions of the language: loops, data, products, shapes and reductions, by seeds."""

import random

import rgnn
from lang_checks import R, T, tensor
from rgnn import Edge, Node, Weight, lang

K = 3  # width of vectors
UNARY = (lang.tanh, lang.sigmoid, lang.sin, lang.relu, lang.leaky_relu, lang.elu, lang.softplus, lang.square, abs)


class Maker:
    """Makes one function. All vectors have K numbers, all matrices K x K; names say the shape: s, v, m."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def function(self, g, sn: Node, vn: Node, mn: Node, se: Edge, ve: Edge, me: Edge, ws: Weight, wv: Weight,
                 wm: Weight, rs: Weight, rv: Weight, rm: Weight, ts: Weight, tv: Weight, tm: Weight):
        self.shared = {"s": [ws], "v": [wv], "m": [wm]}
        self.tables = {"etype": {"s": rs, "v": rv, "m": rm}, "ntype": {"s": ts, "v": tv, "m": tm}}
        self.names = {"node": {"s": ["sn"], "v": ["vn"], "m": ["mn"]}, "edge": {"s": ["se"], "v": ["ve"], "m": ["me"]}}
        self.written = []
        for number in range(self.random.randint(2, 4)):
            self.loop(g, number)
        lists = {"node": g.ndata, "edge": g.edata}
        return [lists[domain][name] for domain, name in self.written]

    def loop(self, g, number):
        kind = self.pick("edges", "nodes", "incoming", "outgoing")
        new = []
        if kind == "edges":
            for e in self.each(g.edges(), new):
                self.edge(e, None, number, new)
        elif kind == "nodes":
            for n in self.each(g.nodes(), new):
                self.write(n, "node", [n], f"{number}", new)
        else:
            for n in self.each(g.dst_nodes() if kind == "incoming" else g.src_nodes(), new):
                if self.pick(True, False):
                    self.write(n, "node", [n], f"{number}before", new)
                for e in self.each(n.incoming_edges() if kind == "incoming" else n.outgoing_edges(), new):
                    self.edge(e, n, number, new)
                if self.sums:
                    shape, name = self.pick(*self.sums)
                    total = n[name] if shape != "m" else lang.sum(n[name], 0)
                    n[f"{number}after"] = lang.tanh(total) * self.value("s" if shape == "s" else "v", [n], 1)
                    new.append(("node", "s" if shape == "s" else "v", f"{number}after"))
        self.settle(new)

    def each(self, visited, new):
        """What a loop visits; each time it makes the same."""
        state, count = self.random.getstate(), len(new)
        for item in visited:
            self.random.setstate(state)
            del new[count:]
            yield item

    def edge(self, e, n, number, new):
        self.sums = []
        elements = [e, e.src, e.dst] if n is None else [e, e.src, e.dst, n]
        if self.pick(True, True, False):
            self.write(e, "edge", elements, f"{number}edge", new)
        for count in range(self.random.randint(1, 2)):
            shape = self.pick("s", "v", "v", "m")
            kind, end = self.pick("sum", "sum", "mean", "max", "min"), self.pick("src", "dst")
            target, name = (getattr(e, end) if n is None else n), f"{number}{kind}{count}"
            value = self.value(shape, elements, 2)
            if kind == "sum":
                target[name] += value
            else:
                target.accumulate(kind, name, value)
            self.sums += [(shape, name)] if n is not None else []
            new.append(("node", shape, name))

    def write(self, element, domain, elements, name, new):
        shape = self.pick("s", "v", "m")
        element[name] = self.value(shape, elements, 2)
        new.append((domain, shape, name))

    def settle(self, new):
        """Later loops may read what this one wrote."""
        for domain, shape, name in new:
            self.names[domain][shape].append(name)
            self.written.append((domain, name))

    def value(self, shape, elements, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(shape, elements)
        how = self.pick("unary", "binary", "binary", "number", shape, shape, shape)
        if how == "unary":
            return self.pick(*UNARY)(self.value(shape, elements, depth - 1))
        if how == "number":
            return self.value(shape, elements, depth - 1) * 0.5 + self.pick(-1.0, 0.25, 2.0)
        if how == "binary":
            one, other = self.value(shape, elements, depth - 1), self.value(self.pick("s", shape), elements, depth - 1)
            return self.pick(lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lang.maximum,
                             lambda x, y: lang.where(x > y, x, 2 * y), lambda x, y: x / (y * y + 1))(one, other)
        return getattr(self, f"make_{how}")(lambda kind: self.value(kind, elements, depth - 1))

    def make_s(self, value):
        how = self.pick("dot", "sum", "norm", "item", "max")
        if how == "dot":
            return lang.dot(value("v"), value("v"))
        if how == "norm":
            return lang.norm(value("v") + 3.0)
        return value("v")[1] if how == "item" else getattr(lang, how)(value("v"))

    def make_v(self, value):
        how = self.pick("linear", "linear", "concat", "softmax", "row", "mean", "scaled")
        if how == "linear":
            return lang.linear(value("v"), value("m"))
        if how == "concat":
            return lang.concat(value("v")[1:], value("s").reshape(1))
        if how == "scaled":
            return value("v") * value("s")
        return {"softmax": lambda: lang.softmax(value("v")), "row": lambda: value("m")[self.pick(0, 2)],
                "mean": lambda: lang.mean(value("m"), self.pick(0, 1))}[how]()

    def make_m(self, value):
        how = self.pick("outer", "product", "transposed", "joined", "dots")
        if how == "outer":
            return lang.outer(value("v"), value("v"))
        if how == "product":
            return lang.linear(value("m"), value("m"))
        if how == "joined":
            return lang.concat(value("m")[:2], value("v").reshape(1, K), dim=0)
        return value("m").T if how == "transposed" else value("m") * lang.dot(value("m"), value("m")).reshape(K, 1)

    def leaf(self, shape, elements):
        how = self.pick("data", "data", "data", "shared", "etype", "ntype")
        if how == "shared":
            return self.shared[shape][0]
        element = self.pick(*elements)
        is_edge = type(element).__name__ == "EdgeItem"
        if how == "data" or (how == "etype" and not is_edge) or (how == "ntype" and is_edge):
            return element[self.pick(*self.names["edge" if is_edge else "node"][shape])]
        table = self.tables[how][shape]
        return table[element.etype if is_edge else element.ntype]


def make(seed):
    """A function, and what makes its arguments for numbers of nodes and edges."""
    maker = Maker(seed)
    state = maker.random.getstate()

    def traced(g, sn: Node, vn: Node, mn: Node, se: Edge, ve: Edge, me: Edge, ws: Weight, wv: Weight, wm: Weight,
               rs: Weight, rv: Weight, rm: Weight, ts: Weight, tv: Weight, tm: Weight):
        maker.random.setstate(state)
        return maker.function(g, sn, vn, mn, se, ve, me, ws, wv, wm, rs, rv, rm, ts, tv, tm)

    def arguments(nodes, edges):
        counts = {"n": (nodes,), "e": (edges,), "w": (), "r": (R,), "t": (T,)}
        shapes = {"s": (), "v": (K,), "m": (K, K)}
        names = ("sn", "vn", "mn", "se", "ve", "me", "ws", "wv", "wm", "rs", "rv", "rm", "ts", "tv", "tm")
        found = {}
        for number, name in enumerate(names):
            rows, shape = (name[1], name[0]) if name[1] in "ne" else (name[0], name[1])
            found[name] = tensor(*counts[rows], *shapes[shape], seed=number + seed)
        return found

    return rgnn.function(traced), arguments
