//===- train_rgcn.cpp - Trains a saved node classifier without Python -----===//
//
//   train_rgcn MODEL DATA EPOCHS
//
// DATA is what Python wrote by torch.save([edge_index, edge_type, nodes,
// labels], DATA): the graph, and the nodes whose labels are known. MODEL was
// saved after a training step, so that it holds the code of one. Prints the
// loss of each epoch.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Torch/Module.h"
#include "tensors.h"

#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>

#include <iomanip>
#include <iostream>
#include <limits>

int main(int argc, char **argv) try {
  if (argc != 4) {
    std::cerr << "usage: train_rgcn MODEL DATA EPOCHS\n";
    return 2;
  }
  const std::vector<torch::Tensor> data = readTensors(argv[2]);
  const torch::Tensor &edgeIndex = data.at(0), &edgeType = data.at(1);
  const torch::Tensor &nodes = data.at(2), &labels = data.at(3);

  rgnn::Module model = rgnn::Module::load(argv[1]);
  torch::optim::Adam optimizer(
      model->parameters(), torch::optim::AdamOptions(0.01).weight_decay(5e-4));
  std::cout << std::setprecision(std::numeric_limits<double>::max_digits10);
  for (int epoch = 0; epoch < std::stoi(argv[3]); ++epoch) {
    optimizer.zero_grad();
    const torch::Tensor scores = model->forward({edgeIndex, edgeType})[0];
    const torch::Tensor loss = torch::nn::functional::cross_entropy(
        scores.index_select(0, nodes), labels);
    loss.backward();
    optimizer.step();
    std::cout << loss.item<double>() << "\n";
  }
  return 0;
} catch (const c10::Error &error) {
  std::cerr << "train_rgcn: " << error.what_without_backtrace() << "\n";
  return 1;
}
