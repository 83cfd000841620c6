//===- count-ops.cpp - counts the ops of a module by name -----------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: count-ops FILE\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::rgnn::RGNNDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  std::map<std::string, unsigned> counts;
  module->walk([&](mlir::Operation *op) {
    ++counts[op->getName().getStringRef().str()];
  });
  for (const auto &[name, count] : counts)
    llvm::outs() << name << ": " << count << "\n";
  return 0;
}
