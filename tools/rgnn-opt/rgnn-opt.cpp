//===- rgnn-opt.cpp - runs passes over textual IR -------------------------===//

#include "RGNN/InitAllDialects.h"
#include "RGNN/InitAllPasses.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::rgnn::registerAllDialects(registry);
  mlir::rgnn::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "RGNN optimizer driver\n", registry));
}
