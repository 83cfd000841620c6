//===- rgnn-translate.cpp - translations and reference evaluation ---------===//

#include "RGNN/Tools/Main.h"

int main(int argc, char **argv) {
  return mlir::rgnn::translateMain(argc, argv);
}
