//===- GraphViews.cpp - the records of views and sizes of graphs ----------===//

#include "RGNN/Dialect/HetKernel/IR/GraphViews.h"

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::Domain;

namespace {
struct ViewRecord {
  StringLiteral name;
  ViewForm form;
  Domain element;
  ViewGroup group;
};
} // namespace

static constexpr ViewRecord kViews[] = {
#define RGNN_VIEW(name, symbol, form, element, group, rows, text)              \
  {#name, ViewForm::form, Domain::element, ViewGroup::group},
#include "RGNN/Support/GraphViews.def"
};

static constexpr StringLiteral kSizes[] = {
#define RGNN_SIZE(name, symbol, text) #name,
#include "RGNN/Support/GraphViews.def"
};

static const ViewRecord &getRecord(ViewKind kind) {
  return kViews[static_cast<size_t>(kind)];
}

StringRef hetkernel::stringifyViewKind(ViewKind kind) {
  return getRecord(kind).name;
}
ViewForm hetkernel::getForm(ViewKind kind) { return getRecord(kind).form; }
Domain hetkernel::getElement(ViewKind kind) { return getRecord(kind).element; }
ViewGroup hetkernel::getGroup(ViewKind kind) { return getRecord(kind).group; }

StringRef hetkernel::stringifySizeKind(SizeKind kind) {
  return kSizes[static_cast<size_t>(kind)];
}

FailureOr<ViewKind> hetkernel::parseViewKind(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  for (auto [number, view] : llvm::enumerate(kViews))
    if (view.name == word)
      return static_cast<ViewKind>(number);
  return parser.emitError(loc)
         << "expected the name of a graph view, got '" << word << "'";
}

FailureOr<SizeKind> hetkernel::parseSizeKind(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  for (auto [number, name] : llvm::enumerate(kSizes))
    if (name == word)
      return static_cast<SizeKind>(number);
  return parser.emitError(loc)
         << "expected the name of a graph size, got '" << word << "'";
}
