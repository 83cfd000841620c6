"""Writes the PTX of each kernel of a module (standard input) to the files named."""

import re
import sys

texts = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', sys.stdin.read())
if len(texts) != len(sys.argv) - 1:
    sys.exit(f"expected {len(sys.argv) - 1} kernels, got {len(texts)}")
for path, text in zip(sys.argv[1:], texts, strict=True):
    # MLIR writes a byte that does not print as two hexadecimal digits.
    text = re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.rstrip("\0"))
