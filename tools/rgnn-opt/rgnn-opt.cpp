//===- rgnn-opt.cpp - runs passes over textual IR -------------------------===//

#include "RGNN/Tools/Main.h"

#ifdef RGNN_INCLUDE_TESTS
#include "TestPasses.h"
#endif

int main(int argc, char **argv) {
#ifdef RGNN_INCLUDE_TESTS
  mlir::rgnn::test::registerTestPasses();
#endif
  return mlir::rgnn::optMain(argc, argv);
}
