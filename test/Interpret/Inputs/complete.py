"""Fails where an op of the rgnn dialect has no expected value in a folder of tests: complete.py RECORDS.json FOLDER.

Ops and their cases (kinds, paths, iterators, flags) are read from the dialect's TableGen records. The result of an op
on rows must itself be the operand of `check.expect_almost_eq_const`. What gives no rows of its own, a graph or an op
inside a loop, must be in a function with such a check.
"""

import json
import pathlib
import re
import sys

# Nothing to expect: a schema is a declaration, and the interpreter refuses what runs in PyTorch (invalid.mlir).
WITHOUT_VALUE = {"schema", "torch"}
# The paths that an op takes, where its verifier lets through fewer than all.
PATHS = {
    "degree": {"src", "dst", "src_pair", "dst_pair", "etype"},
    "group_excess": {"src", "dst", "src_pair", "dst_pair", "etype"},
    "group_softmax": {"src", "dst", "src_pair", "dst_pair", "etype"},
    "group_sum_below": {"src", "dst", "src_pair", "dst_pair", "etype"},
    "lookup": {"src", "dst"},
    "lookup_sum": {"src", "dst"},
    "typed_linear": {"etype", "ntype"},
    "typed_outer_sum": {"etype", "ntype"},
}


def get_cases(records, op):
    """The words that the text of an op may hold: the cases of its enums and its flags."""
    for argument, name in op["arguments"]["args"]:
        attribute = records[argument["def"]]
        if argument["def"] == "UnitAttr":
            yield name
        elif argument["def"] == "RGNN_PathAttr" and op["opName"] in PATHS:
            yield from PATHS[op["opName"]]
        elif "EnumAttr" in attribute["!superclasses"]:
            enum = records[attribute["enum"]["def"]]
            yield from (records[case["def"]]["str"] for case in enum["enumerants"])


def gives_rows(records, op):
    types = [result["def"] for result, _ in op["results"]["args"]]
    types += [records[name]["baseType"]["def"] for name in types if "Variadic" in records[name]["!superclasses"]]
    return "RGNN_FloatTensor" in types


def get_occurrences(folder):
    """(op, words of its first line, whether a result is checked) of each op of each function that has a check."""
    for path in sorted(folder.glob("*.mlir")):
        for function in re.findall(r"^func\.func .*?^}", path.read_text(), re.DOTALL | re.MULTILINE):
            checked = set(re.findall(r"check\.expect_almost_eq_const (%\w+)", function))
            for results, op, rest in re.findall(r"^ *(?:(%[^=]*) = )?rgnn\.(\w+)\b(.*)", function, re.MULTILINE):
                words = set(re.findall(r"(?<![%@\w])[a-z_]+", re.sub(r'"[^"]*"', "", rest.split(" : ")[0])))
                if checked:
                    yield op, words, not checked.isdisjoint(re.findall(r"%\w+", results))


records = json.loads(pathlib.Path(sys.argv[1]).read_text())
ops = [records[name] for name in records["!instanceof"]["Op"]]
ops = {op["opName"]: op for op in ops if op["opDialect"]["def"] == "RGNN_Dialect"}
occurrences = list(get_occurrences(pathlib.Path(sys.argv[2])))

missing = []
for name, op in sorted(ops.items()):
    if name in WITHOUT_VALUE:
        continue
    direct = gives_rows(records, op)
    found = [words for other, words, checked in occurrences if other == name and (checked or not direct)]
    if not found:
        missing.append(f"{name}: no check.expect_almost_eq_const of {'its result' if direct else 'what it does'}")
        continue
    cases = sorted(case for case in get_cases(records, op) if not any(case in words for words in found))
    missing += [f"{name}: no check.expect_almost_eq_const of {case}" for case in cases]

sys.exit("\n".join(f"{what} in test/Interpret" for what in missing) or None)
