"""What the README's program saved, by the package `rgnn-runtime`."""

import sys

import machine

machine.install("runtime", "rgnn-runtime", f"torch=={sys.argv[1]}")

import rgnn  # noqa: E402
import torch  # noqa: E402

inputs, expected = torch.load("expected.pt")
with torch.no_grad():
    assert torch.equal(rgnn.load("build/net.rgnn")(*inputs), expected)
try:
    rgnn.compile(torch.nn.Identity())
except ImportError as error:
    assert "rgnn.compile: expected the compiler" in str(error), error
else:
    raise AssertionError("expected no compiler")
print("the saved model gives the same bits without the compiler", flush=True)
