//===- ManifestReader.h - Reading of manifests ------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODULE_MANIFESTREADER_H
#define RGNN_RUNTIME_MODULE_MANIFESTREADER_H

#include "Module/Manifest.h"
#include "Support/Json.h"

namespace rgnn {

/// The text of a field, or `otherwise` where there is none.
std::string stringOr(const JsonNode &node, const char *name,
                     const std::string &otherwise);

/// Reads the manifest of one function, and those in it.
class ManifestReader {
public:
  explicit ManifestReader(const JsonNode &root)
      : root(root), inputs(root["inputs"].list()),
        graphs(root["graphs"].list()) {}

  Manifest read();

private:
  TensorSpec readTensor(const JsonNode &node) const;
  Dim readDim(const JsonNode &node) const;
  GraphSize readSize(const JsonNode &node) const;
  ViewSpec readView(const JsonNode &node) const;
  GraphSpec readGraph(const JsonNode &node) const;
  KernelSpec readKernel(const JsonNode &node) const;
  void checkDims(const std::vector<Dim> &dims, const JsonNode &node) const;
  void checkRank(int32_t input, size_t rank) const;
  /// Whether the inputs that a graph is made of have one end of each edge.
  bool areEnds(const GraphSpec &graph) const;
  void readVariants(const JsonNode &variants);
  void checkVariant(const Manifest &variant, const JsonNode &node) const;
  void readOnce(const JsonNode &once);

  const JsonNode root;
  const std::vector<JsonNode> inputs, graphs;
  Manifest manifest;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODULE_MANIFESTREADER_H
