"""Random message-passing modules compute what they compute in PyTorch; `make fuzz` runs any number of them."""

import pytest
import random_checks
import torch
from random_models import INPUTS, Program, Statement, Value, Writer


# 31762: saved rows of one node, where nothing else had as few, were written to memory that was not there.
@pytest.mark.sample(9)
@pytest.mark.parametrize("seed", [*range(40), 31762])
def test_no_difference(seed):
    program = Writer(seed).write()
    assert not random_checks.difference(program), program.source()


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(40, 56))
def test_no_difference_by_any_plan(seed, monkeypatch):
    random_checks.draw_plans(monkeypatch)
    program = Writer(seed).write()
    assert not random_checks.difference(program, plan="costs"), program.source()


FOUND = {
    "crash: rows of a number alone": ["{r} = 1 - {0}[dst0]", "utils.softmax({0}, dst0, num_nodes=n)"],
    "a bias that was not scaled": ["self.m0({0})", "{0} * t.view(-1, 1)",
                                   "{0}.new_zeros(n, 3).index_add(0, dst0, {0}[src0])"],
    "a column that is repeated in another place": [
        "torch.einsum('nik,iok->no', torch.stack([{0}, {0}.sin(), {0}.cos()], -1), "
        "torch.linspace(-1, 2, 48, dtype={0}.dtype).view(4, 4, 3))",
        "{0}.new_zeros(n, 4).index_add(0, dst0, {0}[src0])"],
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    """What was wrong once."""
    value, statements = INPUTS[0], []
    for number, text in enumerate(FOUND[name]):
        over = "0" if "dst0" in text and "index_add" not in text else "n"
        result = Value(f"v{number}", over, (3 if "m0" in "".join(FOUND[name]) else 4,))
        statements.append(Statement(result, text if "{r}" in text else f"{{r}} = {text}", [value]))
        value = result
    assert not random_checks.difference(Program(statements, {"m0": "nn.Linear(4, 3)"}, [value]))


def test_most_are_compiled():
    """The programs are ones that regions take, and test more than PyTorch."""
    import rgnn

    whole = 0
    for seed in range(8):
        compiled = rgnn.compile(Writer(seed).write().make())
        random_checks.run(compiled, random_checks.make_args(0, *random_checks.SIZES[0]))
        versions = compiled._compiled_call_impl.runner.versions
        whole += all(version.texts and not version.fallbacks for version in versions)
    assert whole >= 6


def test_a_difference_is_reduced():
    """What is left is the statement that is wrong."""
    program = Writer(3, length=12).write()
    wrong = Statement(Value("w", "n", (4,)), "{0} + 1.0", [Value("x", "n", (4,))])
    program.statements.insert(0, wrong)
    program.outputs.append(wrong.result)
    small = random_checks.reduce(program, lambda candidate: "+ 1.0" in candidate.source())
    assert [statement.text for statement in small.needed()] == ["{0} + 1.0"]


@pytest.mark.parametrize("got, told", [
    ([torch.ones(2), None], ""), ([torch.ones(2) + 1e-6, None], "part 0"), ([torch.ones(2), torch.zeros(2)], "part 1"),
    ([torch.ones(3), None], "part 0"), (ValueError("why"), "ValueError: why"),
])  # fmt: skip
def test_a_difference_is_told(got, told):
    found = random_checks.compare(got, [torch.ones(2), None])
    assert told in found and bool(told) == bool(found)


def test_one_seed_is_one_program():
    assert Writer(17).write().source() == Writer(17).write().source()
    torch.testing.assert_close(random_checks.make_args(5, 4, 9, 2), random_checks.make_args(5, 4, 9, 2))
