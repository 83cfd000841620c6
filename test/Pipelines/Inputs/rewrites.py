"""Whether each rewrite of Rewrites.def is in a pipeline with its option true, and not with false.

    rewrites.py ROOT
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "utils"))
from write_rewrites import RECORDS, read

# Passes that no pipeline of rgnn-opt has, as gradients are asked for by functions of the compiler alone; and that run
# whatever the option says. test/python/test_rewrites.py sees that the options of these act.
ELSEWHERE = {"rgnn-recompute", "convert-rgnn-to-hetkernel"}


def passes(option: str) -> str:
    """The passes of the pipeline with an option."""
    run = subprocess.run(["rgnn-opt", f"--rgnn-to-hetkernel={option}", "--dump-pass-pipeline"], input="module {}",
                         capture_output=True, text=True)  # fmt: skip
    return run.stderr


failed = False
for rewrite in read(Path(sys.argv[1]) / RECORDS):
    if rewrite.of_pass in ELSEWHERE:
        continue
    for value, expected in (("true", True), ("false", False)):
        is_run = re.search(rf"(?<![\w-]){rewrite.of_pass}(?![\w-])", passes(f"{rewrite.option}={value}")) is not None
        if is_run != expected:
            print(f"{rewrite.of_pass}: {'no' if expected else 'a'} pipeline runs it with {rewrite.option}={value}")
            failed = True
sys.exit(failed)
