//===- TestPasses.h - passes that only tests use ----------------*- C++ -*-===//

#ifndef RGNN_TEST_LIB_TESTPASSES_H
#define RGNN_TEST_LIB_TESTPASSES_H

namespace mlir::rgnn::test {

void registerTestAnswersPass();
void registerTestKernelPlanPass();
void registerTestLaunchOrderPass();
void registerTestRowOriginsPass();
void registerTestSerializeLaunchesPass();

inline void registerTestPasses() {
  registerTestAnswersPass();
  registerTestKernelPlanPass();
  registerTestLaunchOrderPass();
  registerTestRowOriginsPass();
  registerTestSerializeLaunchesPass();
}

} // namespace mlir::rgnn::test

#endif // RGNN_TEST_LIB_TESTPASSES_H
