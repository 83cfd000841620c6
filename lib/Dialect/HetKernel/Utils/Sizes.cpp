//===- Sizes.cpp - numbers of rows as sizes of graphs ---------------------===//

#include "RGNN/Dialect/HetKernel/Utils/Sizes.h"

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::Domain;

SizeKind hetkernel::getSizeKind(Domain domain) {
  switch (domain) {
  case Domain::Edge:
    return SizeKind::Edge;
  case Domain::SrcPair:
    return SizeKind::SrcPair;
  case Domain::DstPair:
    return SizeKind::DstPair;
  case Domain::Node:
    return SizeKind::Node;
  case Domain::EType:
    return SizeKind::EdgeTypeCount;
  case Domain::NType:
    return SizeKind::NodeTypeCount;
  }
  llvm_unreachable("an unknown domain");
}
