//===- SafeTensorsTest.cpp - Reading of tensors in files ------------------===//

#include "Model/SafeTensors.h"
#include "Support/Tensor.h"
#include "TestGraphs.h"
#include "TestModel.h"
#include <gtest/gtest.h>

using namespace rgnn;
using namespace rgnn::test;

static const char *const goodHeader =
    R"({"b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
        "__metadata__": {"format": "pt"},
        "none": {"dtype": "BF16", "shape": [0, 7], "data_offsets": [8, 8]},
        "a": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]}})";
static const std::string goodElements =
    bytesOf<int64_t>(-5) + elementsOf<float>({1, 2, 3, 4, 5, 6});

static std::string messageFor(const std::string &bytes) {
  return messageOf([&] {
    StoredTensors tensors;
    readSafeTensors(bytes, "", tensors);
  });
}

static std::string messageWith(const std::string &from, const std::string &to) {
  return messageFor(makeSafeTensors(with(goodHeader, from, to), goodElements));
}

TEST(SafeTensorsTest, ReadsTensors) {
  const std::string bytes = makeSafeTensors(goodHeader, goodElements);
  StoredTensors tensors;
  readSafeTensors(bytes, "p.", tensors);
  ASSERT_EQ(tensors.size(), 3u);
  const DLTensor &a = tensors.at("p.a").tensor, &b = tensors.at("p.b").tensor,
                 &none = tensors.at("p.none").tensor;
  EXPECT_EQ(dtypeName(a.dtype), "int64");
  EXPECT_EQ(a.ndim, 0);
  EXPECT_EQ(*tensorData<int64_t>(a), -5);
  EXPECT_EQ(shapeText(b), "[2, 3]");
  EXPECT_TRUE(isContiguous(b));
  EXPECT_EQ(b.strides[0], 3);
  EXPECT_EQ(tensorData<float>(b)[5], 6);
  EXPECT_EQ(dtypeName(none.dtype), "bfloat16");
  EXPECT_EQ(shapeText(none), "[0, 7]");
}

TEST(SafeTensorsTest, ElementTypes) {
  for (const char *name :
       {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"}) {
    const std::string header =
        with(R"({"a": {"dtype": "X", "shape": [0], "data_offsets": [0, 0]}})",
             "X", name);
    EXPECT_EQ(messageFor(makeSafeTensors(header, "")), "") << name;
  }
}

TEST(SafeTensorsTest, TruncatedAnywhere) {
  const std::string bytes = makeSafeTensors(goodHeader, goodElements);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageFor(bytes.substr(0, size)), "") << size;
}

TEST(SafeTensorsTest, Errors) {
  EXPECT_EQ(messageFor("1234567"),
            "expected the size of a header in 8 bytes, got 7");
  EXPECT_EQ(messageFor(bytesOf<uint64_t>(-1) + "{}"),
            "expected a header of at most 2 bytes, got 18446744073709551615");
  EXPECT_EQ(messageFor(makeSafeTensors("[]", "")),
            "header: expected an object, got []");
  EXPECT_EQ(messageWith("\"a\": ", "a: ").substr(0, 23),
            "header: expected JSON: ");
  EXPECT_EQ(messageWith("I64", "Q8"), "header.a.dtype: expected the name of an "
                                      "element type, got 'Q8'");
  EXPECT_EQ(messageWith("\"I64\"", "64"),
            "header.a.dtype: expected a string, got 64");
  EXPECT_EQ(messageWith("\"shape\": []", "\"x\": []").substr(0, 34),
            "header.a: expected a field 'shape'");
  EXPECT_EQ(messageWith("[2, 3]", "[2, -3]"),
            "header.b.shape[1]: expected at least 0, got -3");
  EXPECT_EQ(messageWith("[2, 3]", "[2, 3.0]"),
            "header.b.shape[1]: expected an integer, got 3.0");
  EXPECT_EQ(messageWith("[2, 3]", "[2, 18446744073709551613]"),
            "header.b.shape[1]: expected an integer, got 18446744073709551613");
  const std::string tooLarge =
      "header.b.shape: expected sizes of a tensor that "
      "fits into memory, got ";
  EXPECT_EQ(messageWith("[2, 3]", "[4294967296, 4294967296]"),
            tooLarge + "[4294967296,4294967296]");
  EXPECT_EQ(messageWith("[2, 3]", "[9223372036854775807]"),
            tooLarge + "[9223372036854775807]");
  std::string ones = "[1";
  for (int i = 0; i < 64; ++i)
    ones += ", 1";
  EXPECT_EQ(messageWith("[2, 3]", ones + "]").substr(0, 44),
            "header.b.shape: expected at most 64 dimensio");
  EXPECT_EQ(messageWith("[2, 3]", "[2, 4]"),
            "header.b.data_offsets: expected 32 of 32 bytes, the size of the "
            "tensor, got [8,32]");
  EXPECT_EQ(messageWith("[8, 32]", "[9, 33]"),
            "header.b.data_offsets: expected 24 of 32 bytes, the size of the "
            "tensor, got [9,33]");
  EXPECT_EQ(messageWith("[8, 32]", "[32, 8]").substr(0, 31),
            "header.b.data_offsets: expected");
  EXPECT_EQ(messageWith("[8, 32]", "[8]"),
            "header.b.data_offsets: expected where the elements begin and end, "
            "got [8]");
  EXPECT_EQ(messageWith("[8, 32]", "[7, 31]"),
            "header.b.data_offsets: expected elements at a multiple of their "
            "size, got [7,31]");
  EXPECT_EQ(messageWith("[8, 32]", "[4, 28]"),
            "expected elements one after another, got some from byte 4 after "
            "others up to byte 8");
  EXPECT_EQ(messageFor(makeSafeTensors(goodHeader, goodElements + "x")),
            "expected elements up to byte 33, got them up to byte 32");
}

TEST(SafeTensorsTest, RepeatedName) {
  const std::string bytes = makeSafeTensors(goodHeader, goodElements);
  StoredTensors tensors;
  readSafeTensors(bytes, "", tensors);
  EXPECT_EQ(messageOf([&] { readSafeTensors(bytes, "", tensors); }),
            "expected each tensor once, got another 'a'");
}
