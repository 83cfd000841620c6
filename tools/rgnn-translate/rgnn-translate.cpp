//===- rgnn-translate.cpp - translations and reference evaluation ---------===//

#include "RGNN/Target/Translations.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/PrettyStackTrace.h"

int main(int argc, char **argv) {
  llvm::setBugReportMsg("rgnn-translate crashed: please report the trace below "
                        "with the input.\n");
  mlir::rgnn::registerAllTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, "RGNN translation driver"));
}
