//===- JointGraph.cpp - the edges of several graphs as one ----------------===//

#include "RGNN/Dialect/RGNN/Utils/JointGraph.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"
#include "RGNN/Dialect/RGNN/Utils/TypeStack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

Value rgnn::getNumNodes(COOGraphOp graph, Path end) {
  return end == Path::Src ? graph.getNodes().front() : graph.getNodes().back();
}

Refusal JointGraph::whyNotJoined(COOGraphOp graph) {
  if (graph.getEdges().size() != 1 || graph.isOfEnds())
    return "its edges are no list of both ends";
  if (graph.getTypes())
    return "its edges have types already";
  if (graph.getNodes().size() != 1 && !graph.getGraph().getType().isBipartite())
    return "its nodes have types already";
  return {};
}

std::optional<int64_t> JointGraph::findType(Value number, unsigned copy) const {
  auto found = llvm::find(types, std::pair(number, copy));
  if (found == types.end())
    return std::nullopt;
  return found - types.begin();
}

JointGraph::JointGraph(ArrayRef<Relation> all, SymbolTable &symbols)
    : relations(all) {
  SmallVector<Value> lists, numbers;
  SmallVector<int64_t> ends[2];
  COOGraphOp last = relations.front().graph;
  for (auto [i, relation] : llvm::enumerate(relations)) {
    lists.push_back(relation.graph.getEdges().front());
    for (Path end : {Path::Src, Path::Dst}) {
      Value number = getNumNodes(relation.graph, end);
      unsigned copy = end == Path::Dst ? relation.copy : 0;
      if (!findType(number, copy)) {
        types.emplace_back(number, copy);
        numbers.push_back(number);
      }
      ends[end == Path::Dst].push_back(getType(i, end));
    }
    if (last->isBeforeInBlock(relation.graph))
      last = relation.graph;
  }
  OpBuilder builder(last->getContext());
  Location loc = last.getLoc();
  auto schema = SchemaOp::create(builder, loc, builder.getStringAttr("joint"),
                                 builder.getI64IntegerAttr(types.size()),
                                 builder.getI64IntegerAttr(relations.size()),
                                 builder.getDenseI64ArrayAttr(ends[0]),
                                 builder.getDenseI64ArrayAttr(ends[1]));
  Block &module = symbols.getOp()->getRegion(0).front();
  Block::iterator place = module.begin();
  while (place != module.end() && isa<SchemaOp>(*place))
    ++place;
  symbols.insert(schema, place);
  builder.setInsertionPointAfter(last);
  graph = COOGraphOp::create(
      builder, loc,
      rgnn::GraphType::get(builder.getContext(),
                           FlatSymbolRefAttr::get(schema.getSymNameAttr())),
      lists, Value(), numbers);
}

RowsAttr JointGraph::getNodes(int64_t type) {
  RowsAttr all = getRows(Domain::Node);
  return RowsAttr::get(all.getContext(), Domain::Node, all.getGraph(), type);
}

Value JointGraph::joinNodes(OpBuilder &builder, Location loc, Type rowType,
                            ArrayRef<Value> ofTypes) {
  Type element = getElementTypeOrSelf(rowType);
  auto getTypeOn = [&](RowsAttr rows) {
    return getRowsType(rows, getRowShape(rowType), element);
  };
  Type wanted = getTypeOn(getRows(Domain::Node));
  auto *known = llvm::find_if(nodes, [&](Nodes &each) {
    return each.joined.getType() == wanted &&
           llvm::all_of_zip(each.ofTypes, ofTypes, [](Value a, Value b) {
             return !a || !b || a == b;
           });
  });
  if (known == nodes.end()) {
    // Zeros, until rows of a type are asked for.
    OpBuilder behind(graph->getContext());
    behind.setInsertionPointAfter(graph);
    SmallVector<Value> parts;
    for (size_t type = 0; type < ofTypes.size(); ++type)
      parts.push_back(MapOp::create(
          behind, loc, getTypeOn(getNodes(type)), ValueRange(),
          [&](OpBuilder &inner, Location at, ValueRange) -> Value {
            return arith::ConstantOp::create(inner, at,
                                             inner.getFloatAttr(element, 0));
          }));
    auto joined =
        ConcatTypesOp::create(builder, loc, wanted, parts, getGraph());
    nodes.push_back({SmallVector<Value>(ofTypes.size()), joined});
    known = &nodes.back();
  }
  for (auto [type, rows] : llvm::enumerate(ofTypes))
    if (rows && !known->ofTypes[type]) {
      known->ofTypes[type] = rows;
      known->joined->setOperand(
          type, placeOn(builder, rows, getNodes(type), getGraph()));
    }
  return known->joined;
}

Value JointGraph::joinEdges(OpBuilder &builder, ArrayRef<Value> ofRelations) {
  Value first = ofRelations.front();
  return ConcatRowsOp::create(builder, first.getLoc(),
                              getRowsType(getRows(Domain::Edge),
                                          getRowShape(first.getType()),
                                          getElementTypeOrSelf(first)),
                              ofRelations, getGraph());
}

Value JointGraph::spread(OpBuilder &builder, ArrayRef<Value> ofRelations,
                         Domain to) {
  Location loc = ofRelations.front().getLoc();
  Value stacked = stackPlain(builder, ofRelations);
  auto type = cast<RankedTensorType>(stacked.getType());
  Value placed = PlaceOp::create(builder, loc,
                                 RankedTensorType::get(type.getShape(),
                                                       type.getElementType(),
                                                       getRows(Domain::EType)),
                                 stacked, getGraph());
  return GatherOp::create(builder, loc, placed, getGraph(), Path::EType, to);
}
