//===- Diagnostics.cpp - collects what the compiler says ------------------===//

#include "Diagnostics.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using rgnn::Message;

static Message messageAt(Location location) {
  Message message;
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  return message;
}

static llvm::StringRef kindOf(DiagnosticSeverity severity) {
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
}

/// The name in what emitOpError starts a diagnostic with, which is an argument
/// of its own: "'", name, "' op ".
static llvm::StringRef findOp(Diagnostic &diagnostic) {
  auto isText = [&](unsigned i, llvm::StringRef text) {
    const DiagnosticArgument &argument = diagnostic.getArguments()[i];
    return argument.getKind() ==
               DiagnosticArgument::DiagnosticArgumentKind::String &&
           (text.empty() || argument.getAsString() == text);
  };
  if (diagnostic.getArguments().size() < 3 || !isText(0, "'") ||
      !isText(1, "") || !isText(2, "' op "))
    return "";
  return diagnostic.getArguments()[1].getAsString();
}

static Message makeMessage(Diagnostic &diagnostic) {
  Message message = messageAt(diagnostic.getLocation());
  message.kind = kindOf(diagnostic.getSeverity()).str();
  message.op = findOp(diagnostic).str();
  llvm::raw_string_ostream stream(message.text);
  for (const DiagnosticArgument &argument :
       diagnostic.getArguments().drop_front(message.op.empty() ? 0 : 3))
    argument.print(stream);
  for (Diagnostic &note : diagnostic.getNotes())
    stream << "\n  " << toString(makeMessage(note));
  return message;
}

static Message makeMessage(const remark::detail::Remark &remark) {
  Message message = messageAt(remark.getLocation());
  message.kind = remark.getRemarkTypeString().lower();
  message.category = remark.getCategoryName().str();
  message.name = remark.getRemarkName().str();
  message.function = remark.getFunction().str();
  for (const remark::detail::Remark::Arg &argument : remark.getArgs())
    (argument.key == "Operator" ? message.op : message.text) += argument.val;
  return message;
}

namespace {

/// Takes remarks when they are made; the engine keeps none.
class RemarkCollector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkCollector(std::vector<Message> &remarks) : remarks(remarks) {}
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    remarks.push_back(makeMessage(remark));
  }

private:
  std::vector<Message> &remarks;
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
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  (isError ? errors : remarks).push_back(makeMessage(diagnostic));
}

llvm::Error rgnn::Diagnostics::failure(llvm::StringRef what) const {
  if (!errors.empty())
    return llvm::make_error<CompileFailure>(errors);
  return llvm::createStringError(std::errc::invalid_argument, "%s",
                                 what.str().c_str());
}
