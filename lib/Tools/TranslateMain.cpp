//===- TranslateMain.cpp - IR to code, results and checks -----------------===//

#include "RGNN/Target/Translations.h"
#include "RGNN/Tools/Main.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/PrettyStackTrace.h"

int mlir::rgnn::translateMain(int argc, char **argv) {
  llvm::setBugReportMsg("rgnn-translate crashed: please report the trace below "
                        "with the input.\n");
  registerAllTranslations();
  return failed(mlirTranslateMain(argc, argv, "RGNN translation driver"));
}
