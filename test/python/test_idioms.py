"""What layers of other people's code do, which nobody had thought of here: each is compiled whole, and PyTorch's."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.utils import coalesce, scatter, softmax, to_undirected

W = 8


def zeros(x, *sizes):
    return torch.zeros(x.size(0), *sizes, dtype=x.dtype)


def edges_as_columns(m, x, edge_index):
    """SpGAT's way."""
    h = m.lin(x)
    edges = torch.cat((h[edge_index[0], :], h[edge_index[1], :]), dim=1).t()
    powers = torch.exp(-F.leaky_relu(m.a.mm(edges).squeeze(), 0.2)).unsqueeze(1)
    total = zeros(x, 1).index_add_(0, edge_index[0], powers)
    total[total == 0.0] = 1e-12
    return F.elu(zeros(x, W).index_add_(0, edge_index[0], powers * h[edge_index[1]]) / total)


def both_directions(m, x, edge_index):
    edges = torch.cat((edge_index[:, :], edge_index.flip(0)), dim=1)
    return zeros(x, W).index_add_(0, edges[0], m.lin(x)[edges[1]])


def as_many_groups_as_there_are(m, x, edge_index):
    src, dst = edge_index
    alpha = softmax(m.lin(x)[src].sum(-1), dst, None, dst.max() + 1)
    return scatter(alpha.unsqueeze(-1) * x[src], dst, 0, dim_size=x.size(0), reduce="sum")


def greatest_of_all_edges(m, x, edge_index):
    src, dst = edge_index
    scores = (x[src] * m.lin(x)[dst]).sum(-1)
    powers = torch.exp(scores - scores.max())
    weights = powers / (zeros(x).index_add(0, dst, powers)[dst] + 1e-9)
    return zeros(x, W).index_add(0, dst, weights.unsqueeze(1) * x[src])


def tables_of_nodes(m, x, edge_index):
    paths = torch.stack([edge_index[0], edge_index[1], edge_index[0]], 1)
    return zeros(x, W).index_add_(0, paths[:, -1], F.embedding(paths, m.lin(x)).mean(1) + x[paths][:, 1])


def words_of_nodes(m, x, edge_index):
    """Three rows of a table for each node, which the module of the table picks."""
    numbers = torch.arange(x.size(0))
    words = m.hubs(torch.stack([numbers % 2, 1 - numbers % 2, numbers // 2 % 2], dim=1))
    h = x + (words * m.lin(words).sum(-1, keepdim=True).softmax(1)).sum(1)
    return zeros(x, W).index_add_(0, edge_index[1], h[edge_index[0]])


def nodes_of_the_model(m, x, edge_index):
    """Two nodes that all others are linked to."""
    n, links = x.size(0), [edge_index]
    for number in range(2):
        nodes = torch.arange(n)
        hub = torch.full((n,), n + number, dtype=torch.long)
        links += [torch.stack([nodes, hub]), torch.stack([hub, nodes])]
    h, (src, dst) = torch.cat([m.lin(x), m.hubs.weight], dim=0), torch.cat(links, 1)
    h = torch.zeros_like(h).index_add(0, dst, torch.tanh(h[src] * h[dst]))
    return h[:n]


def without_duplicates(m, x, edge_index):
    weights = m.lin(x).sum(1)[edge_index[0]]
    edges, weights = coalesce(edge_index, weights, x.size(0), reduce="mean")
    return scatter(x[edges[0]] * weights.view(-1, 1), edges[1], 0, x.size(0), "sum")


def undirected(m, x, edge_index):
    edges = to_undirected(edge_index, num_nodes=x.size(0))
    return scatter(m.lin(x)[edges[0]], edges[1], 0, x.size(0), "sum")


def memories(m, x, edge_index):
    """Each node that has an edge takes the last message that it gets."""
    node, other = torch.cat([edge_index[0], edge_index[1]]), torch.cat([edge_index[1], edge_index[0]])
    messages = torch.cat([x[node], x[other]], dim=-1)
    nodes, places = torch.unique(node, return_inverse=True)
    last = torch.full((nodes.numel(),), -1, dtype=torch.long)
    last = last.scatter_reduce(0, places, torch.arange(node.numel()), reduce="amax")
    memory = x.clone()
    memory[nodes] = m.cell(messages[last], memory[nodes])
    memory[nodes] += m.memory(messages[last], (memory[nodes], memory[nodes].sin()))[0]
    return zeros(x, W).index_add(0, edge_index[1], memory[edge_index[0]])


def set_by_masks(m, x, edge_index):
    """What is chosen by what it is, and set to what is computed of it, to one row, or to the same of another tensor."""
    h, other = m.lin(x), x.sin()
    degree = x.new_zeros(len(x)).index_add(0, edge_index[1], h[edge_index[0], 0].abs())
    degree[degree < 0.5] += 1.0
    h[h > 0.5] = h[h > 0.5].sqrt()
    is_low = h.sum(1) < -1
    h[is_low] = m.words[0].repeat(2)[:W]
    h[~is_low] = m.lin(other[~is_low] / 2) + h[~is_low]
    h[is_low, 0] = -1.0
    h[other > h] = other[other > h]
    is_high = h.sum(1) > 1
    taken, copy = h[is_high], other.clone()
    copy[is_high] = taken
    h[is_high] = taken * 2
    h = h + copy
    return zeros(x, W).index_add(0, edge_index[1], (h / degree.unsqueeze(1))[edge_index[0]])


def loss_of_pairs(m, x, edge_index):
    """A ranking loss and what keeps embeddings short, of rows that another list picks, as in recommenders."""
    h = F.normalize(zeros(x, W).index_add(0, edge_index[1], m.lin(x)[edge_index[0]]))
    users, items = h[torch.cat([edge_index[0], edge_index[1]])], h[torch.cat([edge_index[1], edge_index[0]])]
    return -F.logsigmoid((users * items).sum(1)).mean() + (users.norm() ** 2 + items.norm() ** 2) / 2


def joined_twice(m, x, edge_index):
    """Loops are added to edges that have some already, and all edges have weights."""
    loops = torch.arange(len(x)).repeat(2, 1)
    weights = torch.cat([torch.cat([m.lin(x)[edge_index[0], 0], x.new_ones(len(x))]), x.new_full((len(x),), -1.0)])
    src, dst = torch.cat([torch.cat([edge_index, loops], 1), loops], 1)
    return zeros(x, W).index_add(0, dst, weights.unsqueeze(1) * x[src])


def halves_of_a_table(m, x, edge_index):
    """Users and items have one table, as in recommenders."""
    users, items = m.words[:2, :], m.words[2:, :]
    user, item = edge_index[0] % 2, edge_index[1] % 3
    liked = users + torch.zeros_like(users).index_add(0, user, items[item])
    scores = (liked[user] * items[item]).sum(1, keepdim=True)
    return zeros(x, W).index_add(0, edge_index[1], m.lin(x)[edge_index[0]] * scores)


def same_row_for_all(m, x, edge_index):
    """Loops have a relation of their own, after those of the edges, as in CompGCN."""
    loops = torch.full((x.shape[0],), m.words.shape[0] - 1)
    messages = m.lin(x * torch.index_select(m.words, 0, loops).repeat(1, 2)[:, :W])
    words = F.embedding(torch.ones_like(edge_index[0]), m.words) + m.words[torch.zeros_like(edge_index[1])]
    return messages.index_add(0, edge_index[1], x[edge_index[0]] * words)


def linear_attention(m, x, edge_index):
    q, k, v = m.lin(x).view(-1, 2, 4), x.sigmoid().view(-1, 2, 4), x.view(-1, 2, 4)
    products = torch.einsum("nhd,nhe->hde", k, v)
    norm = torch.einsum("nhd,hd->nh", q.sigmoid(), k.sum(0)).unsqueeze(-1)
    attended = (torch.einsum("nhd,hde->nhe", q.sigmoid(), products) / norm).flatten(1)
    return attended + zeros(x, W).index_add(0, edge_index[1], x[edge_index[0]])


def rows_for_padding(m, x, edge_index):
    """Their row of the table gets no gradient."""
    h = F.embedding(torch.arange(x.size(0)) % 5, m.words, padding_idx=0)
    return x + torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]] * m.hubs(edge_index[0] % 2))


def parts_of_all(m, x, edge_index):
    """Users and items of a recommender."""
    n = x.size(0) // 3
    h = F.rrelu(zeros(x, W).index_add(0, edge_index[1], m.lin(x)[edge_index[0], :]), training=False)
    users, items = torch.split(h, [n, x.size(0) - n])
    return users[edge_index[0] % n] * items[edge_index[1] % (x.size(0) - n)] + h[n:][edge_index[0] % 2]


def pooled(m, x, edge_index):
    h = zeros(x, W).index_add(0, edge_index[1], m.lin(x)[edge_index[0]])
    batch = torch.arange(x.size(0)) % 4
    return h.new_zeros(4, W).scatter_add(0, batch.view(-1, 1).expand(-1, W), h)


def blocks_of_rows(m, x, edge_index):
    """What each node has of two kinds lies one behind the other."""
    both = m.lin(torch.cat([x, zeros(x, W).index_add(0, edge_index[1], x[edge_index[0]])], 0))
    one, other = both.chunk(2, 0)
    votes = both.sum(1).view(2, -1).t()
    return both.view(2, -1, W).softmax(0) * (one * other.sigmoid() + votes[:, :1]) * votes.sigmoid().t().unsqueeze(2)


def reversed_edges(m, x, edge_index):
    """Each edge and its reverse lie side by side, as messages of bonds have them."""
    source, target = torch.stack([edge_index, edge_index.flip(0)], 2).flatten(1)
    h = m.lin(x)[source].relu()
    back = h.view(-1, 2, W).flip(dims=[1]).view(-1, W) + h.unflatten(0, (-1, 2))[:, [1, 0]].flatten(0, 1)
    turned = x.roll(3, 1) * x.view(-1, W // 2, 2).flip(1, 2).flatten(1)
    return zeros(x, W).index_add(0, target, h - 0.25 * back) * turned


def dropped_features(m, x, edge_index):
    """Columns set to zero for all nodes, as contrastive training corrupts features."""
    corrupted, h = x.clone(), m.lin(x).view(-1, 2, W // 2)
    corrupted[:, m.words[0] > 0] = 0
    h = torch.zeros_like(h).index_add(0, edge_index[1], h[edge_index[0]])
    h[..., m.words[1, : W // 2] > 0] = 1.5
    return zeros(x, W).index_add(0, edge_index[1], m.lin(corrupted)[edge_index[0]]) * h.flatten(1)


def last_rows(m, x, edge_index):
    """As many as a part of all: nodes that keep their features, behind those that lose them."""
    kept = int(0.4 * x.size(0))
    h = zeros(x, W).index_add(0, edge_index[1], m.lin(x)[edge_index[0]])
    last = torch.arange(x.size(0))[-kept:]
    return h[-kept:] * -kept * h[last].sigmoid()


def products_of_columns(m, x, edge_index):
    """Numbers of a node each, multiplied and added up over all nodes and edges."""
    h = m.lin(zeros(x, W).index_add(0, edge_index[1], x[edge_index[0]]))
    score, on_edges = h.sum(1), h[edge_index[0]].sum(1)
    energy = (score * score).sum() + h[:, 0] @ x[:, 1] + torch.dot(h[:, 1], h[:, 2]) + (on_edges * on_edges).sum()
    return energy * torch.cat([(score @ x)[None], (x.t() @ h[:, 2])[None], h[:, 2:4].t() @ h])


def padded_by_nothing(m, x, edge_index):
    """Of rows that are wide enough, and of lists that begin empty."""
    h = torch.cat([x, x.new_zeros(x.size(0), W - x.size(1))], -1)
    parts = torch.Tensor([])
    for weight in (0.5, 2.0):
        parts = torch.cat([parts.to(x), weight * h[edge_index[0]]], dim=-1)
    return zeros(x, 2 * W).index_add_(0, edge_index[1], parts)


IDIOMS = [padded_by_nothing, last_rows, products_of_columns, reversed_edges, dropped_features, blocks_of_rows,
          rows_for_padding,
          parts_of_all, pooled, edges_as_columns, both_directions, as_many_groups_as_there_are, greatest_of_all_edges,
          tables_of_nodes, words_of_nodes, nodes_of_the_model, without_duplicates, undirected, memories, set_by_masks,
          joined_twice, halves_of_a_table, loss_of_pairs, same_row_for_all, linear_attention]  # fmt: skip


class Layer(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.lin, self.hubs, self.cell = nn.Linear(W, W), nn.Embedding(2, W), nn.GRUCell(2 * W, W)
        self.memory = nn.LSTMCell(2 * W, W)
        self.a, self.words = nn.Parameter(torch.randn(1, 2 * W)), nn.Parameter(torch.randn(5, W))

    def forward(self, x, edge_index):
        return self.function(self, x, edge_index)


@pytest.mark.sample(2)
@pytest.mark.parametrize("function", IDIOMS, ids=lambda function: function.__name__)
def test_whole(function):
    torch.manual_seed(0)
    model = Layer(function).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in ((9, 30), (20, 41), (12, 12), (7, 2)):
        x = torch.randn(nodes, W, dtype=torch.float64)
        edge_index = torch.randint(nodes, (2, edges))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, edge_index)
            found = torch.autograd.grad(out.sin().sum(), [wanting, *each.parameters()], allow_unused=True)
            outcomes.append([out.detach(), *found])
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or (got - own).abs().max() <= 1e-10 * max(1, own.abs().max())  # some cancel
    assert len(compiled._compiled_call_impl.runner.versions) == 1


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("reorder", [
    lambda h: torch.roll(h, 1),  # of all numbers
    lambda h: h.flip(2, 1),
    lambda h: torch.roll(h, (1,), (1,)),
    lambda h: h[:, [0, 0]],
])  # fmt: skip
def test_orders_in_groups(reorder):
    """What takes rows of groups in another order, and what does more."""

    def model(x, edge_index):
        rows = x[edge_index[0]].tanh()
        other = reorder(rows.view(-1, 2, W))
        rows.mul_(2)
        return zeros(x, W).index_add(0, edge_index[1], rows - other.view(-1, W))

    compiled = rgnn.compile(model)
    for nodes, edges in ((9, 30), (7, 4), (5, 0)):
        x, edge_index = torch.randn(nodes, W, dtype=torch.float64), torch.randint(nodes, (2, edges))
        torch.testing.assert_close(compiled(x, edge_index), model(x, edge_index), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("wrong", [-1, 9])
@pytest.mark.parametrize("embeds", [False, True])
def test_tables_out_of_range(embeds, wrong):
    """``x[p]`` counts from the end, an embedding does not; other rows are errors, as in PyTorch."""

    def pick(x, table):
        rows = F.embedding(table, x) if embeds else x[table]
        return zeros(x, W).index_add(0, table[:, 1].abs() % 9, rows.mean(1))

    compiled = rgnn.compile(pick, fullgraph=True)
    x, table = torch.randn(9, W, dtype=torch.float64), torch.randint(9, (12, 3))
    assert torch.allclose(compiled(x, table), pick(x, table))
    table[5, 2] = wrong
    if wrong < 0 and not embeds:
        assert torch.allclose(compiled(x, table), pick(x, table))
        return
    for each in (pick, compiled):
        with pytest.raises(IndexError):
            each(x, table)


class Groups(nn.Module):
    """As many groups as the lists of a call say, normalised."""

    def __init__(self):
        super().__init__()
        self.lin, self.norm = nn.Linear(W, W), nn.BatchNorm1d(W)

    def forward(self, x, edge_index):
        groups = int(edge_index[1].max()) + 1
        h = x.new_zeros(groups, W).index_add(0, edge_index[1], self.lin(x)[edge_index[0]])
        return x + self.norm(h)[edge_index[1] % 2][: x.size(0)].sum(0)


def test_norm_of_as_many_groups_as_data_say():
    """One version; a single group is an error in training, as in PyTorch, which changes nothing."""
    torch.manual_seed(0)
    model = Groups().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for groups in (5, 2, 1, 9):
        x, edge_index = torch.randn(9, W, dtype=torch.float64), torch.randint(groups, (2, 30))
        edge_index[1, 0] = groups - 1
        if groups == 1:
            for each in (model, compiled):
                with pytest.raises(ValueError, match=r"more than 1 value per channel.*\[1, 8\]"):
                    each(x, edge_index)
        else:
            assert torch.allclose(model(x, edge_index), compiled(x, edge_index))
        for name in ("running_mean", "running_var"):  # PyTorch counts the refused batch, too
            assert torch.allclose(getattr(model.norm, name), getattr(compiled.norm, name))
    assert len(compiled._compiled_call_impl.runner.versions) == 1


def test_products_alone_of_features_that_want_no_gradient():
    """The backward reads nothing of the graph but how many nodes it has."""
    model = Layer(lambda m, x, edge_index: m.lin(zeros(x, W).index_add(0, edge_index[1], x[edge_index[0]]))).double()

    def product(x, edge_index, layer):
        h = layer(x, edge_index)
        return h[:, 2:4].t() @ h

    compiled = rgnn.compile(product, fullgraph=True)
    for nodes, edges in ((9, 30), (4, 0), (20, 41)):
        x, edge_index = torch.randn(nodes, W, dtype=torch.float64), torch.randint(nodes, (2, edges))
        parameters = list(model.lin.parameters())
        found = [torch.autograd.grad(each(x, edge_index, model).sin().sum(), parameters)
                 for each in (product, compiled)]  # fmt: skip
        for own, got in zip(*found, strict=True):
            assert torch.allclose(own, got)


def compare_on_rows(function, compiled, nodes, edges):
    """Results and the features' gradients."""
    x, edge_index = torch.randn(nodes, W, dtype=torch.float64), torch.randint(nodes, (2, edges))
    found = []
    for each in (function, compiled):
        wanting = x.clone().requires_grad_()
        out = each(wanting, edge_index)
        found.append([out.detach(), *torch.autograd.grad(out.sin().sum(), wanting)])
    for own, got in zip(*found, strict=True):
        assert torch.allclose(own, got)


@pytest.mark.parametrize("changes", [False, True])
def test_rows_set_in_turns(changes):
    """What was set is what the rows were then, also where they change before the last are set."""

    def interleave(x, edge_index):
        h = x[edge_index[0]][0::2]
        if changes:
            h = h * 1
        turns = x.new_empty(edge_index.size(1), W)
        turns[0::2] = h
        if changes:
            h.mul_(3)
        turns[1::2] = h
        return zeros(x, W).index_add(0, edge_index[1], turns) * x.sum(0)

    compiled = rgnn.compile(interleave, fullgraph=not changes)
    for nodes, edges in ((9, 30), (4, 2), (20, 42)):
        compare_on_rows(interleave, compiled, nodes, edges)


def test_rows_read_in_turns():
    """Of a number of rows that is none of whole turns, another version takes the rows apart."""

    def differences(x, edge_index):
        h = x[edge_index[0]]
        first, second = h[0::2], h[1::2]
        if edge_index.size(1) % 2:
            return h.sin().sum(0) * second.sum(0) - first.sum(0)
        turns = torch.empty(edge_index.size(1), W, dtype=x.dtype)
        turns[0::2], turns[1::2] = (first - second).abs(), first * second
        return zeros(x, W).index_add(0, edge_index[1], turns)

    compiled = rgnn.compile(differences)
    for nodes, edges in ((9, 30), (4, 2), (20, 42), (20, 41), (3, 7), (5, 1), (5, 0)):
        compare_on_rows(differences, compiled, nodes, edges)
    assert not rgnn.explain(compiled, torch.randn(9, W, dtype=torch.float64), torch.randint(9, (2, 30))).fallbacks
