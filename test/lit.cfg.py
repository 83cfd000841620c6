# lit's configuration: tests of the tools, written as comments in the files that they read.

import os

import lit.formats

config.name = "RGNN"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.excludes = ["python", "Inputs", "lib"]

config.environment["PATH"] = os.pathsep.join(
    [config.rgnn_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
config.environment["PYTHONPATH"] = os.path.join(os.path.dirname(config.rgnn_tools_dir), "python")
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"

# The whole suite as a test of parsers and printers.
opt = "rgnn-opt --verify-roundtrip" if os.environ.get("RGNN_OPT_CHECK_IR_ROUNDTRIP") else "rgnn-opt"
config.substitutions.append((r"\brgnn-opt\b", opt))
config.substitutions.append(("%PYTHON", config.python))
# Runs a pass and compares before with after by the interpreter, on random awkward graphs.
config.substitutions.insert(
    0, ("%check_numeric", os.path.join(config.rgnn_source_dir, "utils", "check-numeric.sh"))
)
