//===- DiscardableAttributes.cpp - attributes on others' ops --------------===//

#include "RGNN/Support/DiscardableAttributes.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::rgnn;

static StringRef stringify(Bearer bearer) {
  switch (bearer) {
  case Bearer::Argument:
    return "an argument";
  case Bearer::Result:
    return "a result";
  case Bearer::Operation:
    return "an operation";
  }
  llvm_unreachable("an unknown bearer");
}

LogicalResult rgnn::verifyDiscardable(ArrayRef<DiscardableAttribute> known,
                                      Operation *op, Bearer bearer,
                                      NamedAttribute attribute) {
  auto mayStandHere = [&](const DiscardableAttribute &each) {
    return (each.bearers & static_cast<unsigned>(bearer)) != 0;
  };
  const auto *found =
      llvm::find_if(known, [&](const DiscardableAttribute &each) {
        return each.name == attribute.getName() && mayStandHere(each);
      });
  if (found == known.end()) {
    InFlightDiagnostic error = op->emitError()
                               << "expected " << stringify(bearer)
                               << " to have none but ";
    llvm::interleaveComma(
        llvm::make_filter_range(known, mayStandHere), error,
        [&](const DiscardableAttribute &each) { error << each.name; });
    return error << ", got " << attribute.getName().getValue();
  }
  if (!found->isOfType(attribute.getValue()))
    return op->emitError() << "expected " << found->name << " to be "
                           << found->type << ", got " << attribute.getValue();
  return success();
}
