//===- RGNNDiscardableAttributes.cpp - attributes on others' ops ----------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/DiscardableAttributes.h"

using namespace mlir;
using namespace mlir::rgnn;

static LogicalResult verify(Operation *op, Bearer bearer,
                            NamedAttribute attribute) {
  static const DiscardableAttribute known[] = {
#define RGNN_ATTRIBUTE(CONSTANT, NAME, BEARERS, TYPE, TEXT)                    \
  {NAME, static_cast<unsigned>(Bearer::BEARERS), #TYPE,                        \
   [](Attribute attribute) { return isa<TYPE>(attribute); }},
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.def"
  };
  return verifyDiscardable(known, op, bearer, attribute);
}

LogicalResult RGNNDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return verify(op, Bearer::Operation, attribute);
}

LogicalResult RGNNDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned region,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return verify(op, Bearer::Argument, attribute);
}

LogicalResult RGNNDialect::verifyRegionResultAttribute(
    Operation *op, unsigned region, unsigned result, NamedAttribute attribute) {
  return verify(op, Bearer::Result, attribute);
}
