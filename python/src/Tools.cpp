//===- Tools.cpp - the tools, for Python packages -------------------------===//
//
// A package has LLVM once, in this extension: its commands rgnn-opt and
// rgnn-translate are functions here, and so is lld. Compilations run lld in a
// process of its own, whose faults are not theirs.
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "RGNN/CodeGen/ObjectCode.h"
#include "RGNN/Tools/Main.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

LLD_HAS_DRIVER(elf)

namespace nb = nanobind;
using namespace mlir::rgnn;

static int lldMain(int argc, char **argv) {
  std::vector<const char *> arguments(argv, argv + argc);
  arguments.front() = "ld.lld"; // its name says what kind of linker it is
  return lld::lldMain(arguments, llvm::outs(), llvm::errs(),
                      {{lld::Gnu, &lld::elf::link}})
      .retCode;
}

static int run(int (*main)(int, char **)) {
  auto words = nb::cast<std::vector<std::string>>(
      nb::module_::import_("sys").attr("argv"));
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  nb::gil_scoped_release release;
  return main(static_cast<int>(words.size()), arguments.data());
}

/// Has compilations run `lld` by a Python of their own, which loads this file
/// and nothing else. An interpreter inside another program may have no
/// executable, and then the linker is looked for elsewhere.
static void linkByThisFile() {
  nb::object executable = nb::module_::import_("sys").attr("executable");
  Dl_info info;
  if (executable.is_none() || nb::len(executable) == 0 ||
      !dladdr(reinterpret_cast<void *>(&lldMain), &info))
    return;
  const auto program = nb::cast<std::string>(executable);
  setLinker(program,
            {program, "-I", "-S", "-c",
             "import sys; sys.path.insert(0, sys.argv.pop(1)); import _rgnn; "
             "sys.exit(_rgnn.lld())",
             llvm::sys::path::parent_path(info.dli_fname).str()});
}

void mlir::rgnn::defineTools(nb::module_ &module) {
  module.def(
      "opt", [] { return run(&optMain); },
      "Runs rgnn-opt with the arguments of ``sys.argv``; its exit status.");
  module.def(
      "translate", [] { return run(&translateMain); },
      "Runs rgnn-translate with the arguments of ``sys.argv``; its exit "
      "status.");
  module.def(
      "lld", [] { return run(&lldMain); },
      "Runs ld.lld with the arguments of ``sys.argv``; its exit status.");
  linkByThisFile();
}
