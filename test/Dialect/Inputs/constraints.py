"""Fails where a constraint of a dialect has no test: constraints.py DIALECT RECORDS.json FOLDERS."""

import json
import pathlib
import re
import sys

dialect, records, *folders = sys.argv[1:]
records = json.loads(pathlib.Path(records).read_text())
text = "".join(path.read_text() for folder in folders for path in pathlib.Path(folder).rglob("*.mlir"))
tested = set(re.findall(r"@([a-z_]+_c\d+)(?=_|\b)", text))

ops = [records[name] for name in records["!instanceof"]["Op"]]
ops = [op for op in ops if records[op["opDialect"]["def"]]["name"] == dialect]
stated = [(op["opName"], int(number)) for op in ops for number in re.findall(r"^ *\(C(\d+)\)", op["description"], re.M)]
missing = [f"{name}: no test of (C{number})" for name, number in sorted(stated) if f"{name}_c{number}" not in tested]
sys.exit("\n".join(missing) or (None if stated else f"no constraints of {dialect} in the records"))
