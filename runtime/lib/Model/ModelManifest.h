//===- ModelManifest.h - What a saved module says of itself -----*- C++ -*-===//
//
// The manifest of docs/ModuleFormat.md. All of it is checked, so that whoever
// reads the text need not; kept is what the runtime acts on.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_RUNTIME_MODEL_MODELMANIFEST_H
#define RGNN_RUNTIME_MODEL_MODELMANIFEST_H

#include "Module/Manifest.h"
#include <map>
#include <string>
#include <vector>

namespace rgnn {

class Archive;
class JsonNode;

struct SavedTarget {
  std::string name;
  std::vector<std::string> features;
};

struct SavedFunction {
  Manifest interface;
  /// The entry of the archive that holds the code for each target.
  std::map<std::string, std::string> code;
  /// The same for NVIDIA GPUs; empty where there is none.
  Manifest gpuInterface;
  std::string gpuCode;
};

struct SavedParameter {
  std::string name;
  DLDataType dtype;
  std::vector<int64_t> shape;
  /// The first name of the same tensor; empty where this is it.
  std::string sameAs;
};

/// Before the name of a constant; no parameter's begins like this.
inline constexpr const char *constantPrefix = ".constants.";

/// What a call is a function of; see RgnnCallInfo. Constants have the prefix.
struct SavedCall {
  int32_t function = -1;
  bool training = false;
  std::vector<std::string> inputs, parameters, constants;
  int32_t numDerived = 0, numDrawn = 0;
};

struct ModelManifest {
  std::string arch;
  std::vector<SavedTarget> targets;
  std::vector<SavedFunction> functions;
  std::vector<SavedParameter> parameters;
  std::vector<SavedCall> calls;
  /// Entries of the archive; empty where there is none.
  std::string weights, constants;

  /// Fails, saying where, on what does not follow the format or names what is
  /// not there.
  static ModelManifest read(const JsonNode &root, const Archive &archive);
};

/// Reads the calls, and checks the regions and plans that they run. Names of
/// constants are not checked: they are in another entry.
std::vector<SavedCall> readCalls(const JsonNode &root,
                                 const ModelManifest &manifest);

} // namespace rgnn

#endif // RGNN_RUNTIME_MODEL_MODELMANIFEST_H
