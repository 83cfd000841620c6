"""Tells Python of the checkout as of an installed package, so that PyTorch finds its entry points.

Writes ``rgnn-VERSION.dist-info`` into a folder of ``sys.path``: ``write_metadata.py FOLDER``.
"""

import pathlib
import runpy
import sys
import tomllib

root = pathlib.Path(__file__).resolve().parents[1]
project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
project["version"] = runpy.run_path(str(root / "python/rgnn/_version.py"))["__version__"]
folder = pathlib.Path(sys.argv[1]) / f"{project['name']}-{project['version']}.dist-info"
folder.mkdir(exist_ok=True)
head = [f"{key.capitalize()}: {project[key]}" for key in ("name", "version")]
(folder / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *head]) + "\n")
points = [line for group, named in project["entry-points"].items()
          for line in (f"[{group}]", *(f"{name} = {value}" for name, value in named.items()))]  # fmt: skip
(folder / "entry_points.txt").write_text("\n".join(points) + "\n")
