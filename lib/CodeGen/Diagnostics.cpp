//===- Diagnostics.cpp - what the compiler said, as text ------------------===//

#include "Diagnostics.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// "file:line:column: " of the innermost place in the user's source.
static void printPlace(llvm::raw_ostream &stream, Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ':' << place.getLine() << ':'
           << place.getColumn() << ": ";
}

static std::string render(Location location, llvm::StringRef kind,
                          llvm::StringRef message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printPlace(stream, location);
  stream << kind << ": " << message;
  return text;
}

namespace {

/// Renders remarks where they are made; the engine keeps none.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(std::vector<std::string> &remarks)
      : remarks(remarks) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string kind = remark.getRemarkTypeString().lower();
    remarks.push_back(render(remark.getLocation(), kind, remark.getMsg()));
  }

private:
  std::vector<std::string> &remarks;
};

} // namespace

rgnn::Diagnostics::Diagnostics(MLIRContext &context)
    : handler(&context,
              [this](Diagnostic &diagnostic) { handle(diagnostic); }) {
  // Decisions, that is, all but analyses, which hold what the passes count.
  remark::RemarkCategories decisions;
  decisions.missed = ".*";
  decisions.passed = ".*";
  decisions.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkCollector>(remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), decisions);
}

void rgnn::Diagnostics::handle(Diagnostic &diagnostic) {
  auto kindOf = [](DiagnosticSeverity severity) -> llvm::StringRef {
    switch (severity) {
    case DiagnosticSeverity::Error:
      return "error";
    case DiagnosticSeverity::Warning:
      return "warning";
    case DiagnosticSeverity::Remark:
      return "remark";
    case DiagnosticSeverity::Note:
      return "note";
    }
    return "note";
  };
  std::string text = render(diagnostic.getLocation(),
                            kindOf(diagnostic.getSeverity()), diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes())
    text += "\n  " + render(note.getLocation(), "note", note.str());
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error) {
    remarks.push_back(std::move(text));
    return;
  }
  if (!errors.empty())
    errors += '\n';
  errors += text;
}

llvm::Error rgnn::Diagnostics::failure(llvm::StringRef what) const {
  return llvm::createStringError(std::errc::invalid_argument, "%s",
                                 errors.empty() ? what.str().c_str()
                                                : errors.c_str());
}
