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
# ptxas and libdevice. Without a toolkit the tests that need them fail, they are not skipped.
config.environment["CUDA_ROOT"] = config.cuda_root
config.environment["PATH"] += os.pathsep + os.path.join(config.cuda_root, "bin")
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"

# The whole suite as a test of parsers and printers.
opt = "rgnn-opt --verify-roundtrip" if os.environ.get("RGNN_OPT_CHECK_IR_ROUNDTRIP") else "rgnn-opt"
config.substitutions.append((r"\brgnn-opt\b", opt))
config.substitutions.append(("%PYTHON", config.python))
# What TableGen takes to read the dialects.
config.substitutions.append(("%rgnn_source", config.rgnn_source_dir))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
# What building against an installed RGNN takes.
config.substitutions.append(("%rgnn_build", config.rgnn_build_dir))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%cxx", config.cxx))
# Debug output is there: LDBG() is compiled in.
if config.rgnn_asserts.upper() in ("1", "ON", "TRUE", "YES"):
    config.available_features.add("asserts")
# Runs a pass and compares before with after by the interpreter, on random awkward graphs.
config.substitutions.insert(
    0, ("%check_numeric", os.path.join(config.rgnn_source_dir, "utils", "check-numeric.sh"))
)
