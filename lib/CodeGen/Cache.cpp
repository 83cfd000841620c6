//===- Cache.cpp - compiled models on disk --------------------------------===//

#include "RGNN/CodeGen/Cache.h"
#include "AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace mlir;
using llvm::StringRef;

/// Footer: magic, bytes of code, bytes of data, SHA-256 of code and data.
static constexpr StringRef kMagic = "RGNNSO01";
static constexpr size_t kFooterSize = 8 + 8 + 8 + 32;
static constexpr auto kStaleAfter = std::chrono::hours(24);

static std::array<uint8_t, 32> hashOf(StringRef bytes) {
  return llvm::SHA256::hash(llvm::ArrayRef(bytes.bytes_begin(), bytes.size()));
}

/// Identifies the code of this compiler: the hash of the file that it was
/// loaded from, and the size and time of LLVM's and MLIR's libraries, which a
/// package upgrade replaces.
static const std::string &compilerIdentity() {
  static const std::string identity = [] {
    std::string text = LLVM_VERSION_STRING;
    auto addFile = [&](const void *symbol, bool byContent) {
      Dl_info info;
      if (!dladdr(symbol, &info) || !info.dli_fname)
        return;
      llvm::sys::fs::file_status status;
      if (!llvm::sys::fs::status(info.dli_fname, status))
        text += "," + std::to_string(status.getSize()) + "," +
                std::to_string(byContent ? 0
                                         : status.getLastModificationTime()
                                               .time_since_epoch()
                                               .count());
      if (!byContent)
        return;
      // A program's own path may be relative to where it was started.
      StringRef file = info.dli_fname;
      auto buffer = llvm::MemoryBuffer::getFile(
          file.contains(".so") ? file : StringRef("/proc/self/exe"));
      if (buffer)
        text += "," + llvm::toHex(hashOf((*buffer)->getBuffer()));
    };
    addFile(reinterpret_cast<const void *>(&hashOf), true);
    addFile(dlsym(RTLD_DEFAULT, "LLVMContextCreate"), false);
    addFile(dlsym(RTLD_DEFAULT, "_ZN4mlir11MLIRContextC1ENS0_9ThreadingE"),
            false);
    return text;
  }();
  return identity;
}

std::string rgnn::Cache::defaultDirectory() {
  auto environment = [](const char *name) {
    return std::string(std::getenv(name) ? std::getenv(name) : "");
  };
  if (std::string given = environment("RGNN_CACHE_DIR"); !given.empty())
    return given;
  if (std::string base = environment("XDG_CACHE_HOME"); !base.empty())
    return base + "/rgnn";
  llvm::SmallString<128> home;
  if (llvm::sys::path::home_directory(home))
    return (home + "/.cache/rgnn").str();
  return "/tmp/rgnn-cache-" + std::to_string(getuid());
}

std::string rgnn::Cache::key(llvm::ArrayRef<StringRef> parts) {
  llvm::SHA256 hash;
  auto add = [&](StringRef part) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  };
  add(compilerIdentity());
  for (StringRef part : parts)
    add(part);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string rgnn::Cache::pathOf(StringRef key) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, key.take_front(2), key + ".so");
  return path.str().str();
}

static std::string packData(StringRef manifest,
                            llvm::ArrayRef<rgnn::Message> remarks) {
  llvm::json::Value value =
      llvm::json::Object{{"manifest", llvm::json::fixUTF8(manifest)},
                         {"remarks", llvm::json::Array(remarks)}};
  return llvm::formatv("{0}", value).str();
}

std::optional<rgnn::CacheEntry> rgnn::Cache::find(StringRef key) const {
  CacheEntry entry;
  entry.path = pathOf(key);
  auto file = llvm::MemoryBuffer::getFile(entry.path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < kFooterSize)
    return std::nullopt;
  StringRef footer = bytes.take_back(kFooterSize),
            body = bytes.drop_back(kFooterSize);
  if (!footer.consume_front(kMagic))
    return std::nullopt;
  const uint64_t codeSize = llvm::support::endian::read64le(footer.data());
  const uint64_t dataSize = llvm::support::endian::read64le(footer.data() + 8);
  if (codeSize > body.size() || dataSize != body.size() - codeSize)
    return std::nullopt;
  if (StringRef(reinterpret_cast<const char *>(hashOf(body).data()), 32) !=
      footer.drop_front(16))
    return std::nullopt;

  llvm::Expected<llvm::json::Value> data =
      llvm::json::parse(body.drop_front(codeSize));
  if (!data) {
    llvm::consumeError(data.takeError());
    return std::nullopt;
  }
  llvm::json::Path::Root root("cache entry");
  llvm::json::ObjectMapper fields(*data, root);
  if (!fields || !fields.map("manifest", entry.manifest) ||
      !fields.map("remarks", entry.remarks))
    return std::nullopt;
  return entry;
}

llvm::Expected<rgnn::CacheEntry>
rgnn::Cache::store(StringRef key, StringRef code, StringRef manifest,
                   llvm::ArrayRef<Message> remarks) const {
  const std::string path = pathOf(key);
  const StringRef folder = llvm::sys::path::parent_path(path);
  if (std::error_code reason = llvm::sys::fs::create_directories(
          folder, true, llvm::sys::fs::owner_all))
    return llvm::createStringError(reason, "cannot make the folder of '%s': %s",
                                   path.c_str(), reason.message().c_str());
  removeStaleTemporaries(folder);

  const std::string data = packData(manifest, remarks);
  llvm::SmallString<0> bytes(code);
  bytes += data;
  const std::array<uint8_t, 32> hash = hashOf(bytes);
  char sizes[16];
  llvm::support::endian::write64le(sizes, code.size());
  llvm::support::endian::write64le(sizes + 8, data.size());
  bytes += kMagic;
  bytes.append(sizes, sizes + 16);
  bytes.append(hash.begin(), hash.end());

  if (llvm::Error error = replaceFile(
          path, [&](llvm::raw_ostream &stream) { stream << bytes; }))
    return error;
  return CacheEntry{path, manifest.str(), remarks.vec()};
}

/// Removes what writers that were killed long ago have left.
void rgnn::Cache::removeStaleTemporaries(StringRef folder) const {
  std::error_code reason;
  const auto now = std::chrono::system_clock::now();
  for (llvm::sys::fs::directory_iterator it(folder, reason), end;
       it != end && !reason; it.increment(reason)) {
    if (!StringRef(it->path()).ends_with(kTemporarySuffix))
      continue;
    llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = it->status();
    if (status && now - status->getLastModificationTime() > kStaleAfter)
      llvm::sys::fs::remove(it->path());
  }
}
