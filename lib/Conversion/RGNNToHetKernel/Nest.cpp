//===- Nest.cpp - loop nests and what ops read in them --------------------===//

#include "RGNN/Conversion/RGNNToHetKernel/Nest.h"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::isLoad(Operation *op) {
  return getKernelForm(op) == KernelForm::Load;
}

Nest Nest::ofGroups(Domain inner, Path path, Value graph) {
  Nest nest;
  RowsAttr outer = cast<rgnn::GraphType>(graph.getType()).getRows(path, inner);
  nest.outer = outer.getDomain();
  nest.nodeType = outer.getType();
  nest.path = path;
  nest.inner = inner;
  nest.graph = graph;
  return nest;
}

Value Nest::getOuterGraph() const {
  return path == Path::Whole ? graph.getDefiningOp<SplitGraphOp>().getGraph()
                             : graph;
}

Nest Nest::over(RowsAttr rows, Value graph) {
  if (cast<rgnn::GraphType>(graph.getType()).isBipartite() &&
      rows.getDomain() == Domain::Node)
    return ofGroups(Domain::Edge,
                    rows.getType() == kSrcNodes ? Path::Src : Path::Dst, graph);
  if (rows.getType() < 0)
    switch (rows.getDomain()) {
    case Domain::Edge:
      break;
    case Domain::SrcPair:
      return ofGroups(Domain::Edge, Path::SrcPair, graph);
    case Domain::DstPair:
      return ofGroups(Domain::Edge, Path::DstPair, graph);
    case Domain::Node:
      return ofGroups(Domain::Edge, Path::Dst, graph);
    case Domain::EType:
      return ofGroups(Domain::Edge, Path::EType, graph);
    case Domain::NType:
      return ofGroups(Domain::Node, Path::NType, graph);
    }
  Nest nest;
  nest.outer = rows.getDomain();
  nest.nodeType = rows.getType();
  nest.graph = graph;
  return nest;
}

static Read getRead(Value value) {
  Read read{value, GatherOp()};
  while (auto gather = read.source.getDefiningOp<GatherOp>()) {
    read.chained = read.gather != nullptr;
    if (!read.gather)
      read.gather = gather;
    read.source = gather.getRows();
  }
  return read;
}

SmallVector<Read> rgnn::getReads(Operation &op) {
  if (isa<GatherOp>(op))
    return {getRead(op.getResult(0))};
  return llvm::map_to_vector(op.getOperands(), getRead);
}

bool rgnn::isGivenToCaller(Value rows) {
  return llvm::any_of(rows.getUsers(), [](Operation *user) {
    if (isa<ReshapeOp, SliceOp>(user))
      return isGivenToCaller(user->getResult(0));
    return isa<UnplaceOp, RegroupRowsOp>(user) ||
           !isa_and_nonnull<RGNNDialect>(user->getDialect());
  });
}
