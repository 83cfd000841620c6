"""The README's program, and the tools, by the package `rgnn`."""

import re
import subprocess
import sys
import time
from pathlib import Path

import machine

machine.install("compiler", "rgnn", f"torch=={sys.argv[1]}")

program = re.search(r"```python\n(import rgnn.*?)```", Path("README.md").read_text(), re.DOTALL)[1]
start = time.monotonic()
names = {}
exec(compile(program, "README.md", "exec"), names)  # it trains, explains, profiles, saves and loads
seconds = time.monotonic() - start

torch, rgnn = names["torch"], names["rgnn"]
inputs = [names[name] for name in ("x", "edge_index", "edge_type")]
expected = names["Net"]()
expected.load_state_dict(names["model"].state_dict())
with torch.no_grad():
    result = names["loaded"](*inputs)
    torch.testing.assert_close(result, expected(*inputs))
report = names["report"]
assert not report.fallbacks, report.fallbacks
mapped = Path("/proc/self/maps").read_text()
assert "libLLVM" not in mapped and "libMLIR" not in mapped
torch.save((inputs, result), "expected.pt")


def run(*command: str) -> str:
    done = subprocess.run([Path(sys.prefix) / "bin" / command[0], *command[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


assert "rgnn." in run("rgnn-opt", "build/net.mlir", "--rgnn-lift-torch")
lifted = run("rgnn-opt", "build/net.mlir", "--rgnn-lift-torch", "-o", "build/lifted.mlir")
run("rgnn-translate", "--rgnn-check-compiled", "build/lifted.mlir")
versions = f"Python {sys.version.split()[0]}, PyTorch {torch.__version__}"
print(f"{versions}: the README's program in {seconds:.1f} s", flush=True)
