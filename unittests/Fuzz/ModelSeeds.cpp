//===- ModelSeeds.cpp - Files that the fuzzer of saved modules starts from ===//

#include "Parts.h"
#include <filesystem>
#include <fstream>

using namespace rgnn::test;

static void write(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const TestModel model;
  TestModel without;
  without.manifest = with(model.manifest, "\"weights.safetensors\"", "null");
  write(folder / "archive", archiveMark + model.make());
  write(folder / "archive-of-two",
        archiveMark + makeArchive({{"a", "1"}, {"b/c", ""}}));
  write(folder / "archive-zip64",
        archiveMark + makeArchive({{"a", "1"}, {"b/c", ""}}, /*zip64=*/true));
  write(folder / "parts", partsMark + joinParts(model));
  write(folder / "parts-without-weights", partsMark + joinParts(without));
  return 0;
}
