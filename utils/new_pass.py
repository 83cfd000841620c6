#!/usr/bin/env python3
"""Makes the files of a new rewrite of the rgnn dialect: a pass that builds, passes its test, and refuses everything.

    utils/new_pass.py rgnn-my-rewrite "what it does, in a few words" [--root ROOT]

docs/Extending.md, "A rewrite", says what is left to write.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

DEFINITIONS = "include/RGNN/Dialect/RGNN/Transforms/Rewrites.td"
LIBRARY = "lib/Dialect/RGNN/Transforms/CMakeLists.txt"
END_OF_DEFINITIONS = "\n#endif // RGNN_DIALECT_RGNN_TRANSFORMS_REWRITES\n"

SOURCE = """\
{banner}

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {{
#define GEN_PASS_DEF_RGNN{upper}PASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
}} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Why `sum` stays as it is.
static Refusal whyRefused(ReduceOp sum) {{
  if (sum.getKind() != Reduction::Sum)
    return "it is no sum";
  return "nothing is known that replaces it";
}}

namespace {{
struct {name} : rgnn::impl::RGNN{name}PassBase<{name}> {{
  void runOnOperation() override {{
    PassRemarks remarks(getOperation(), getArgument(), "{name}");
    getOperation().walk([&](ReduceOp sum) {{
      if (Refusal refusal = whyRefused(sum))
        remarks.missed(sum.getLoc(), "rows are added up as they were", refusal);
    }});
  }}
}};
}} // namespace
"""

DEFINITION = """\

def RGNN{name}Pass : Pass<"{argument}", "::mlir::func::FuncOp"> {{
  let summary = "{summary}";
  let description = [{{
    What is the same before and after, why, and where the idea is from.

    Before:  %y = rgnn.reduce sum dst %x in %g
    After:   %y = rgnn.reduce sum dst %x in %g      // what replaces it

    Refused, with a missed remark: all sums.
  }}];
  let dependentDialects = ["::mlir::rgnn::RGNNDialect"];
}}
"""

TEST = """\
// RUN: rgnn-opt %s --{argument} | FileCheck %s
// RUN: rgnn-opt %s --{argument} --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %check_numeric %s --{argument}

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(3)

// REFUSED: Function=refused | Remark="rows are added up as they were: nothing is known that replaces it"
// CHECK-LABEL: func @refused
//       CHECK: rgnn.reduce sum dst
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #node> {{
  %y = rgnn.reduce sum dst %x in %g : tensor<?x8xf32, #edge>
  return %y : tensor<?x8xf32, #node>
}}
"""

NEXT = """\
made: {made}
What a new rewrite still needs (docs/Extending.md):
  include/RGNN/Pipelines/Rewrites.def   a record, so that it can be left out; then utils/write_rewrites.py
  lib/Pipelines/Buffers.cpp             its place in addRewrites
  docs/Passes.md, docs/Papers.md        a line each
  test/python/test_rewrites.py          a model that takes it, in TAKEN"""


def banner(name: str, summary: str) -> str:
    """The first line of a source file; SystemExit where it would be too long."""
    start, end = f"//===- {name}.cpp - {summary} ", "===//"
    if len(start) + len(end) > 80:
        sys.exit(f"expected a summary of at most {80 - len(start) - len(end) + len(summary)} characters, "
                 f"got {len(summary)}")  # fmt: skip
    return start + "-" * (80 - len(start) - len(end)) + end


def add_source(text: str, source: str) -> str:
    """The library's list of files with one more, in its place."""
    listed = re.search(r"(?:\s+Rewrites/\w+\.cpp)+", text)
    sources = sorted([*listed[0].split(), source])
    lines = textwrap.fill(" ".join(sources), 120, initial_indent="  ", subsequent_indent="  ")
    return f"{text[: listed.start()]}\n{lines}{text[listed.end() :]}"


def add_definition(text: str, definition: str) -> str:
    """The definitions with one more, the last."""
    if not text.endswith(END_OF_DEFINITIONS):
        sys.exit(f"{DEFINITIONS}: expected {END_OF_DEFINITIONS.strip()!r} at its end")
    return text.removesuffix(END_OF_DEFINITIONS) + definition + END_OF_DEFINITIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("argument", help="of rgnn-opt, which the pass is named after: rgnn-my-rewrite")
    parser.add_argument("summary", help="what it does: 'adds what is equal once'")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help="another checkout")
    given = parser.parse_args()
    if not re.fullmatch(r"rgnn(-[a-z0-9]+)+", given.argument):
        sys.exit(f"expected a name such as rgnn-my-rewrite, got {given.argument}")
    short = given.argument.removeprefix("rgnn-")
    name = "".join(word.capitalize() for word in short.split("-"))
    words = {"argument": given.argument, "name": name, "upper": name.upper(), "summary": given.summary,
             "banner": banner(name, given.summary)}  # fmt: skip
    definitions, library = given.root / DEFINITIONS, given.root / LIBRARY
    if f'"{given.argument}"' in definitions.read_text():
        sys.exit(f"{DEFINITIONS}: {given.argument} is there already")
    made = {f"lib/Dialect/RGNN/Transforms/Rewrites/{name}.cpp": SOURCE, f"test/Dialect/RGNN/{short}.mlir": TEST}
    for path, template in made.items():
        (given.root / path).write_text(template.format(**words))
    definitions.write_text(add_definition(definitions.read_text(), DEFINITION.format(**words)))
    library.write_text(add_source(library.read_text(), f"Rewrites/{name}.cpp"))
    print(NEXT.format(made=", ".join([*made, DEFINITIONS, LIBRARY])))


if __name__ == "__main__":
    main()
