"""Compiles a file as the build does another, but for what it makes: errors and warnings alone.

    compile_like.py BUILD OTHER FILE INCLUDE

INCLUDE is a folder of headers in front of the build's own.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

build, other, file, include = sys.argv[1:]
commands = json.loads((Path(build) / "compile_commands.json").read_text())
(command,) = [entry for entry in commands if entry["file"].endswith(other)]
arguments = shlex.split(command["command"])
place = arguments.index("-o")
del arguments[place : place + 2]
arguments.remove("-c")
arguments.remove(command["file"])
sys.exit(subprocess.run([arguments[0], f"-I{include}", *arguments[1:], "-fsyntax-only", "-Werror", file],
                        cwd=command["directory"]).returncode)
