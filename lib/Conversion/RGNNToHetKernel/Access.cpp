//===- Access.cpp - which view leads where --------------------------------===//

#include "Access.h"

using namespace mlir;
using namespace mlir::rgnn;

GroupViews rgnn::getGroupViews(Domain inner, Path path) {
  switch (inner) {
  case Domain::Edge:
    switch (path) {
    case Path::Dst:
      return {ViewKind::DstOffsets, {}};
    case Path::DstPair:
      return {ViewKind::DstPairOffsets, {}};
    case Path::Src:
      return {ViewKind::SrcOffsets, ViewKind::SrcEdges};
    case Path::SrcPair:
      return {ViewKind::SrcPairOffsets, ViewKind::SrcPairEdges};
    case Path::EType:
      return {ViewKind::ETypeOffsets, ViewKind::ETypeEdges};
    case Path::Whole:
      return {ViewKind::WholeOffsets, {}};
    case Path::NType:
      break;
    }
    break;
  case Domain::SrcPair:
    if (path == Path::Src)
      return {ViewKind::SrcPairSrcOffsets, ViewKind::SrcPairSrcPairs};
    return {ViewKind::SrcPairETypeOffsets, {}};
  case Domain::DstPair:
    if (path == Path::Dst)
      return {ViewKind::DstPairDstOffsets, {}};
    return {ViewKind::DstPairETypeOffsets, ViewKind::DstPairRuns};
  case Domain::Node:
    return {ViewKind::NTypeOffsets, {}};
  case Domain::EType:
  case Domain::NType:
    break;
  }
  llvm_unreachable("no arrow of the lattice");
}

Place rgnn::getCallersPlace(Domain domain) {
  return domain == Domain::Edge      ? Place(ViewKind::EdgeId)
         : domain == Domain::DstPair ? Place(ViewKind::DstPairRank)
                                     : Place();
}

Place rgnn::getRowAtCallersPlace(Domain domain) {
  return domain == Domain::Edge      ? Place(ViewKind::EdgePosition)
         : domain == Domain::DstPair ? Place(ViewKind::DstPairRuns)
                                     : Place();
}

std::optional<ViewKind> rgnn::getGatherByNumber(Domain from, Path path) {
  if (from != Domain::Edge)
    return std::nullopt;
  switch (path) {
  case Path::Src:
    return ViewKind::SrcOfId;
  case Path::Dst:
    return ViewKind::DstOfId;
  case Path::EType:
    return ViewKind::ETypeOfId;
  case Path::SrcPair:
  case Path::DstPair:
  case Path::NType:
  case Path::Whole:
    return std::nullopt;
  }
  llvm_unreachable("all paths are handled");
}

GemmOrder rgnn::getGemmOrder(Domain domain, bool typed, bool gathers) {
  GemmOrder order;
  switch (domain) {
  case Domain::Edge:
    if (typed)
      order = {ViewKind::ETypeEdges, ViewKind::ETypeTiles};
    break;
  case Domain::SrcPair:
    order.tiles = ViewKind::SrcPairTiles;
    break;
  case Domain::DstPair:
    // Nodes and types of pairs are listed in the order of types.
    if (typed || gathers)
      order.rows = ViewKind::DstPairRuns;
    order.tiles = ViewKind::DstPairTiles;
    break;
  case Domain::Node:
    order.tiles = ViewKind::NTypeTiles;
    break;
  case Domain::EType:
  case Domain::NType:
    break;
  }
  if (!typed)
    order.tiles.reset();
  return order;
}

FailureOr<Place> rgnn::getStepPlace(Place rows, Place place) {
  if (!rows || !place)
    return rows ? rows : place;
  if (*rows == ViewKind::ETypeEdges && *place == ViewKind::EdgeId)
    return Place(ViewKind::ETypeEdgeId);
  if (*rows == ViewKind::DstPairRuns && *place == ViewKind::DstPairRank)
    return Place();
  return failure();
}

FailureOr<ViewKind> rgnn::getStepGather(Domain from, Path path, bool typed) {
  switch (from) {
  case Domain::Edge:
    if (path == Path::Src)
      return typed ? ViewKind::ETypeSrc : ViewKind::SrcOfEdge;
    if (path == Path::Dst)
      return typed ? ViewKind::ETypeDst : ViewKind::DstOfEdge;
    if (typed)
      return failure();
    return path == Path::Whole     ? ViewKind::WholeEdge
           : path == Path::SrcPair ? ViewKind::SrcPairOfEdge
           : path == Path::DstPair ? ViewKind::DstPairOfEdge
                                   : ViewKind::ETypeOfEdge;
  case Domain::SrcPair:
    return path == Path::Src ? ViewKind::SrcPairNode : ViewKind::SrcPairEType;
  case Domain::DstPair:
    return path == Path::Dst ? ViewKind::DstPairNode : ViewKind::DstPairEType;
  case Domain::Node:
    return ViewKind::NTypeOfNode;
  case Domain::EType:
  case Domain::NType:
    break;
  }
  llvm_unreachable("no arrow of the lattice");
}
