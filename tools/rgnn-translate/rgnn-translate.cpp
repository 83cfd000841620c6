//===- rgnn-translate.cpp - translations and reference evaluation ---------===//

#include "RGNN/Target/Translations.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::rgnn::registerAllTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, "RGNN translation driver"));
}
