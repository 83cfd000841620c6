//===- Model.h - Saved modules ----------------------------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_MODEL_MODEL_H
#define RGNN_RUNTIME_MODEL_MODEL_H

#include "Model/Archive.h"
#include "Model/ModelManifest.h"
#include "Model/SafeTensors.h"
#include "Module/Module.h"
#include "Support/MappedFile.h"
#include <memory>

namespace rgnn {

/// The content of a file that `compiled.save()` wrote. All of it is checked but
/// the code, which is read when it is loaded.
class Model {
public:
  /// Fails on what is not a saved module that this runtime reads.
  static std::unique_ptr<Model> open(const std::string &path);
  /// `bytes` must outlive the model and begin at a multiple of 64.
  explicit Model(std::string_view bytes);

  const std::string &manifestText() const { return text; }

  /// The target that this processor runs; null where it runs none.
  const SavedTarget *target() const { return chosen; }
  /// Fails where there is no such target, or the code is not what the manifest
  /// says.
  std::unique_ptr<Module> load(int32_t function) const;
  /// The code for NVIDIA GPUs; fails where the file has none.
  std::unique_ptr<Module> loadForGPU(int32_t function) const;

  /// Names of the tensors in the file.
  const std::vector<const char *> &tensorNames() const { return names; }
  /// By any name that it has; null where it is not in the file.
  const DLTensor *tensor(const std::string &name) const;

  const std::vector<RgnnCallInfo> &calls() const { return callInfos; }

private:
  explicit Model(std::unique_ptr<MappedFile> mapped);

  void readTensors(const std::string &entry, const std::string &prefix);
  void checkTensors() const;
  void describeCall(const SavedCall &call);
  const SavedTarget *chooseTarget() const;
  std::string describeTargets() const;
  const SavedFunction &function(int32_t index) const;

  /// What `archive` lies in, if it is the model's own.
  std::unique_ptr<MappedFile> file;
  const Archive archive;
  const std::string text;
  const ModelManifest manifest;
  const SavedTarget *const chosen;
  StoredTensors stored;
  /// The first name of parameters that have several.
  std::map<std::string, std::string> firstNames;
  /// Names point into the two above and the manifest.
  std::vector<const char *> names;
  std::vector<std::vector<const char *>> callNames;
  std::vector<RgnnCallInfo> callInfos;
};

} // namespace rgnn

#endif // RGNN_RUNTIME_MODEL_MODEL_H
