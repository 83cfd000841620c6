//===- run_model.cpp - Runs a saved module on tensors of a file -----------===//
//
//   run_model MODEL INPUTS RESULTS [--libraries]
//
// INPUTS is what Python wrote by torch.save([x, edge_index, edge_type],
// INPUTS), the tensors in the order of the model's arguments; torch.load reads
// RESULTS. With --libraries the libraries that the process has mapped are
// printed: neither Python nor a compiler is among them.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Torch/Module.h"
#include "tensors.h"

#include <fstream>
#include <iostream>
#include <set>

static void printLibraries() {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> libraries;
  for (std::string line; std::getline(maps, line);)
    if (line.find(".so") != std::string::npos)
      libraries.insert(line.substr(line.find('/')));
  for (const std::string &library : libraries)
    std::cout << library << "\n";
}

int main(int argc, char **argv) try {
  if (argc < 4) {
    std::cerr << "usage: run_model MODEL INPUTS RESULTS [--libraries]\n";
    return 2;
  }
  rgnn::Module module = rgnn::Module::load(argv[1]);
  module->eval();
  const std::vector<torch::Tensor> inputs = readTensors(argv[2]);
  const torch::InferenceMode guard;
  writeTensors(argv[3], module->forward(inputs));
  if (argc > 4 && std::string(argv[4]) == "--libraries")
    printLibraries();
  return 0;
} catch (const c10::Error &error) {
  std::cerr << "run_model: " << error.what_without_backtrace() << "\n";
  return 1;
}
