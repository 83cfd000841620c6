//===- LibraryTest.cpp - Shared objects from memory -----------------------===//

#include "Module/Library.h"
#include "TestGraphs.h"
#include "TestModel.h"
#include <cstddef>
#include <elf.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

using namespace rgnn;
using namespace rgnn::test;

/// What the function of constant.c, or of kernel.c, returns.
static int32_t call(const Library &library, const char *name) {
  return reinterpret_cast<RgnnEntry>(library.symbol(name))(nullptr, nullptr);
}

static std::string messageFor(const std::string &bytes) {
  return messageOf([&] { Library::load(bytes, "f.so"); });
}

TEST(LibraryTest, FromMemory) {
  const Library library = Library::load(readFile(RGNN_TEST_KERNEL), "f.so");
  EXPECT_EQ(call(library, "rgnn_failing"), 7);
  EXPECT_EQ(messageOf([&] { library.symbol("other"); }),
            "expected a function 'other' in 'f.so', got none");
}

/// The loader must not take one for another that it has seen, unloaded or not.
TEST(LibraryTest, OneAfterAnother) {
  const std::string kernel = readFile(RGNN_TEST_KERNEL),
                    constant = readFile(RGNN_TEST_CONSTANT);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call(Library::load(kernel, "f.so"), "rgnn_failing"), 7);
    EXPECT_EQ(call(Library::load(constant, "f.so"), "rgnn_forward"), 9);
  }
  const Library first = Library::load(kernel, "f.so"),
                second = Library::load(constant, "f.so");
  EXPECT_EQ(call(first, "rgnn_failing"), 7);
  EXPECT_EQ(call(second, "rgnn_forward"), 9);
}

TEST(LibraryTest, NoSharedObject) {
  const std::string good = readFile(RGNN_TEST_CONSTANT);
  const std::string message = "expected 'f.so' to be a shared object for this "
                              "processor, got something else";
  EXPECT_EQ(messageFor(""), message);
  EXPECT_EQ(messageFor(patched(good, 0, 'x')), message);
  EXPECT_EQ(messageFor(patched(good, EI_CLASS, char(ELFCLASS32))), message);
  EXPECT_EQ(messageFor(
                patched(good, offsetof(Elf64_Ehdr, e_type), uint16_t(ET_EXEC))),
            message);
  EXPECT_EQ(messageFor(patched(good, offsetof(Elf64_Ehdr, e_machine),
                               uint16_t(EM_RISCV))),
            message);
  EXPECT_EQ(
      messageFor(patched(good, offsetof(Elf64_Ehdr, e_phoff), uint64_t(-8))),
      message);
  EXPECT_EQ(messageFor(
                patched(good, offsetof(Elf64_Ehdr, e_phnum), uint16_t(0xffff))),
            message);
}

/// What the loader would map must be there, or it would die of it.
TEST(LibraryTest, Truncated) {
  const std::string good = readFile(RGNN_TEST_CONSTANT);
  for (size_t size = 0; size < good.size(); size += 512) {
    const std::string message = messageFor(good.substr(0, size));
    EXPECT_TRUE(message.empty() || message.rfind("expected ", 0) == 0);
  }
}

/// Makes the system refuse files in memory to this process.
static bool refuseMemoryFiles() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)),
                              filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(LibraryTest, FromATemporaryFile) {
  constexpr int refused = 9, unrefused = 10;
  auto run = [] {
    if (!refuseMemoryFiles())
      _exit(unrefused);
    _exit(call(Library::load(readFile(RGNN_TEST_CONSTANT), "f.so"),
               "rgnn_forward"));
  };
  EXPECT_EXIT(
      run(),
      [](int status) {
        return testing::ExitedWithCode(refused)(status) ||
               testing::ExitedWithCode(unrefused)(status);
      },
      "");
}
