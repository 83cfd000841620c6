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

/// A schema of `relations`, each an edge type, in front of the functions.
static SchemaOp makeSchema(MutableArrayRef<COOGraphOp> relations,
                           ArrayRef<Value> numbers, SymbolTable &symbols) {
  OpBuilder builder(relations.front()->getContext());
  SmallVector<int64_t> ends[2];
  for (auto [end, types] : llvm::zip(ArrayRef{Path::Src, Path::Dst}, ends))
    for (COOGraphOp relation : relations)
      types.push_back(llvm::find(numbers, getNumNodes(relation, end)) -
                      numbers.begin());
  auto schema = SchemaOp::create(builder, relations.front().getLoc(),
                                 builder.getStringAttr("joint"),
                                 builder.getI64IntegerAttr(numbers.size()),
                                 builder.getI64IntegerAttr(relations.size()),
                                 builder.getDenseI64ArrayAttr(ends[0]),
                                 builder.getDenseI64ArrayAttr(ends[1]));
  Block &module = symbols.getOp()->getRegion(0).front();
  Block::iterator place = module.begin();
  while (place != module.end() && isa<SchemaOp>(*place))
    ++place;
  symbols.insert(schema, place);
  return schema;
}

JointGraph::JointGraph(ArrayRef<COOGraphOp> all, SymbolTable &symbols)
    : relations(all) {
  SmallVector<Value> lists;
  for (COOGraphOp relation : relations) {
    lists.push_back(relation.getEdges().front());
    for (Path end : {Path::Src, Path::Dst})
      if (!findType(getNumNodes(relation, end)))
        numbers.push_back(getNumNodes(relation, end));
  }
  SchemaOp schema = makeSchema(relations, numbers, symbols);
  COOGraphOp first = relations.front(), last = first;
  for (COOGraphOp relation : relations)
    if (last->isBeforeInBlock(relation))
      last = relation;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  graph = COOGraphOp::create(
      builder, first.getLoc(),
      rgnn::GraphType::get(builder.getContext(),
                           FlatSymbolRefAttr::get(schema.getSymNameAttr())),
      lists, Value(), numbers);
}

std::optional<int64_t> JointGraph::findType(Value number) const {
  auto found = llvm::find(numbers, number);
  if (found == numbers.end())
    return std::nullopt;
  return found - numbers.begin();
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
