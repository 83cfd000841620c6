//===- HetKernelDiscardableAttributes.cpp - attributes on others' ops -----===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Support/DiscardableAttributes.h"

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::Bearer;

LogicalResult
HetKernelDialect::verifyOperationAttribute(Operation *op,
                                           NamedAttribute attribute) {
  static const rgnn::DiscardableAttribute known[] = {
#define RGNN_ATTRIBUTE(CONSTANT, NAME, BEARERS, TYPE, TEXT)                    \
  {NAME, static_cast<unsigned>(Bearer::BEARERS), #TYPE,                        \
   [](Attribute attribute) { return isa<TYPE>(attribute); }},
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.def"
  };
  return rgnn::verifyDiscardable(known, op, Bearer::Operation, attribute);
}
