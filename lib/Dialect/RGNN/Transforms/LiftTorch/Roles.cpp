//===- Roles.cpp - which integer tensors say what of a graph --------------===//

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "Rules.h"
#include "Scatters.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static constexpr StringRef copyNames[] = {
    "aten.alias",           "aten.clone",
    "aten.contiguous",      "aten.copy",
    "aten.detach",          "aten._to_copy",
    "aten.lift_fresh_copy", "aten.to.dtype",
    "aten.type_as",         "aten.to.dtype_layout"};
static constexpr StringRef dropouts[] = {"aten.dropout", "aten.feature_dropout",
                                         "aten.alpha_dropout"};

bool lift::isCopy(StringRef name) {
  return llvm::is_contained(copyNames, name);
}

/// Whether gradients see the difference between a tensor and what is captured.
static bool isDetached(Arguments arguments) {
  auto type = arguments.resultType();
  return arguments.name() == "aten.detach" && type &&
         isa<FloatType>(type.getElementType());
}

Value Roles::getCopied(Arguments arguments) const {
  // copy(into, from) gives the numbers of the one in the shape of the other.
  Value copied = arguments.value(arguments.name() == "aten.copy" ? 1 : 0);
  if (!copied || !arguments.resultType() ||
      copied.getType() != arguments.resultType() || isDetached(arguments))
    return {};
  // A copy of the same type keeps the elements, whatever the other arguments.
  bool keeps = isCopy(arguments.name()) ||
               (llvm::is_contained(dropouts, arguments.name()) &&
                arguments.boolean(2) == false);
  return keeps ? copied : Value();
}

/// with_slope(value, by, slope)
static LogicalResult liftWithSlope(TorchCall &call) {
  Value by = call.rowsOrPlain(1);
  if (!by)
    return failure();
  RowsAttr rows = rgnn::getRows(by.getType());
  auto like = [&](unsigned i) {
    return rows ? call.on(i, rows) : call.plain(i);
  };
  Value value = like(0), slope = value ? like(2) : Value();
  if (!slope)
    return failure();
  if (value.getType() != by.getType() || slope.getType() != by.getType())
    return call.refuse("its arguments differ in shape or element type");
  return call.replace(
      {WithSlopeOp::create(call.builder, call.loc, value, by, slope)});
}

void lift::addCopyRules(Rules &rules) {
  for (StringRef name : dropouts)
    rules[name] = {nullptr, [](TorchCall &call) {
                     return call.refuse("it drops elements, for training");
                   }};
  rules["aten.detach"] = {keepRows, [](TorchCall &call) -> LogicalResult {
                            Value x = call.rowsOrPlain(0);
                            if (!x)
                              return failure();
                            return call.replace(
                                {DetachOp::create(call.builder, call.loc, x)});
                          }};
  rules["rgnn.with_slope"] = {keepRows, liftWithSlope};
}

std::optional<RowLookup> lift::getRowLookup(Arguments arguments) {
  StringRef name = arguments.name();
  RowLookup lookup;
  lookup.table = arguments.value(0);
  if (name == "aten.index_select" && getDim(arguments, 1) == 0) {
    lookup.index = arguments.value(2);
  } else if (name == "aten.embedding") {
    lookup.index = arguments.value(1);
  } else if (name == "aten.index.Tensor") {
    if (auto indices = arguments.values(1); indices && indices->size() == 1)
      lookup.index = indices->front();
  } else if (name == "aten.gather" && getDim(arguments, 1) == 0 &&
             arguments.value(2)) {
    auto index = dyn_cast<RankedTensorType>(arguments.value(2).getType()),
         table = dyn_cast<RankedTensorType>(lookup.table.getType());
    if (index && table &&
        index.getShape().drop_front() == table.getShape().drop_front())
      lookup.index = getRepeatedList(arguments.value(2));
  }
  if (!lookup.table || !lookup.index)
    return std::nullopt;
  auto table = dyn_cast<RankedTensorType>(lookup.table.getType());
  auto index = dyn_cast<RankedTensorType>(lookup.index.getType());
  if (!table || table.getRank() == 0 || !index || index.getRank() != 1 ||
      !(index.getElementType().isInteger(64) ||
        index.getElementType().isInteger(32)))
    return std::nullopt;
  return lookup;
}

Value Roles::resolve(Value value) {
  while (true) {
    if (Value original = copies.lookup(value)) {
      value = original;
      continue;
    }
    auto op = value.getDefiningOp<TorchOp>();
    Value copied = op ? getCopied(Arguments(op)) : Value();
    if (!copied)
      return value;
    value = copied;
  }
}

EdgeSet *Roles::getEdgeSet(Value edgeIndex, Sizes &sizes) {
  edgeIndex = resolve(edgeIndex);
  auto type = dyn_cast<RankedTensorType>(edgeIndex.getType());
  if (!type || type.getRank() != 2 || type.getDimSize(0) != 2 ||
      !(type.getElementType().isInteger(64) ||
        type.getElementType().isInteger(32)))
    return nullptr;
  EdgeSet *&set = edgeSetOf[edgeIndex];
  if (!set) {
    EdgeSet &added = edgeSets.emplace_back();
    added.lists = {edgeIndex};
    added.edges = sizes.of(edgeIndex, 1);
    set = &added;
  }
  return set;
}

void Roles::addEnds(Value src, Value dst, Sizes &sizes) {
  EdgeSet &set = edgeSets.emplace_back();
  set.edges = sizes.of(dst, 0);
  if (src) {
    set.lists.push_back(src);
    endOf[src] = {&set, false};
  }
  set.lists.push_back(dst);
  endOf[dst] = {&set, true};
}

std::optional<End> Roles::getEndOf(const RowLookup &lookup, Sizes &sizes) {
  std::optional<End> end = getEnd(lookup.index, sizes);
  auto table = cast<RankedTensorType>(lookup.table.getType());
  if (end && end->edges->hasOneEnd() && table.getRank() > 2 &&
      table.hasStaticShape())
    return std::nullopt;
  return end;
}

std::optional<End> Roles::getEnd(Value index, Sizes &sizes) {
  index = resolve(index);
  if (auto known = endOf.find(index); known != endOf.end())
    return known->second;
  auto op = index.getDefiningOp<TorchOp>();
  if (!op)
    return std::nullopt;
  Arguments arguments(op);
  Value edgeIndex = arguments.value(0);
  std::optional<int64_t> end;
  if (op.getName() == "aten.select.int" && getDim(arguments, 1) == 0)
    end = normalizeDim(arguments.integer(2), 2);
  else if (op.getName() == "aten.unbind.int" && getDim(arguments, 1) == 0)
    end = cast<OpResult>(index).getResultNumber();
  if (!edgeIndex || !end)
    return std::nullopt;
  EdgeSet *set = getEdgeSet(edgeIndex, sizes);
  return set ? std::optional(End{set, *end == 1}) : std::nullopt;
}

/// `rgnn.hetero_edges` gives all edges over nodes numbered type by type, and
/// their types. Stacked layers call it with the same arguments.
void Roles::addHeteroEdges(Arguments arguments, Sizes &sizes) {
  std::optional<SmallVector<Value>> lists = arguments.values(0);
  std::optional<SmallVector<int64_t>> srcTypes = arguments.integers(1),
                                      dstTypes = arguments.integers(2);
  auto counts = dyn_cast_if_present<ArrayAttr>(arguments.get(3));
  if (!lists || lists->empty() || !srcTypes || !dstTypes || !counts ||
      counts.empty() || srcTypes->size() != lists->size() ||
      dstTypes->size() != lists->size())
    return;
  RankedTensorType edgeType = arguments.resultType(0),
                   typesType = arguments.resultType(1);
  if (!edgeType || edgeType.getRank() != 2 || !typesType ||
      typesType.getRank() != 1)
    return;
  EdgeSet added;
  for (Attribute count : counts) {
    if (auto operand = dyn_cast<OperandAttr>(count))
      added.nodes.push_back(
          sizes.of(arguments.op.getInputs()[operand.getIndex()]));
    else if (auto integer = dyn_cast<IntegerAttr>(count))
      added.nodes.push_back(Size::of(integer.getInt()));
    else
      return;
  }
  auto isNodeType = [&](int64_t type) {
    return type >= 0 && type < static_cast<int64_t>(added.nodes.size());
  };
  if (!llvm::all_of(*srcTypes, isNodeType) ||
      !llvm::all_of(*dstTypes, isNodeType))
    return;
  SmallVector<Size> edges;
  for (Value list : *lists) {
    auto type = dyn_cast<RankedTensorType>(list.getType());
    if (!type || type.getRank() != 2 || type.getDimSize(0) != 2)
      return;
    added.lists.push_back(resolve(list));
    edges.push_back(sizes.of(list, 1));
  }
  added.srcTypes = *srcTypes;
  added.dstTypes = *dstTypes;
  added.edges = sizes.sum(edges);
  Value edgeIndex = arguments.op.getResult(0),
        types = arguments.op.getResult(1);
  sizes.unify(sizes.of(edgeIndex, 1), added.edges);
  sizes.unify(sizes.of(types, 0), added.edges);
  for (EdgeSet &set : edgeSets)
    if (set.lists == added.lists && set.srcTypes == added.srcTypes &&
        set.dstTypes == added.dstTypes && set.nodes == added.nodes) {
      edgeSetOf[edgeIndex] = &set;
      copies[types] = set.types;
      return;
    }
  added.types = types;
  edgeSets.push_back(added);
  edgeSetOf[edgeIndex] = &edgeSets.back();
}

void Roles::findWeights(func::FuncOp func) {
  auto isKnown = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.hasStaticShape();
  };
  for (Value argument : func.getArguments())
    if (isKnown(argument))
      weights.insert(argument);
  // Some of the numbers in a list are as many for every list.
  auto isKnownPart = [](Operation &op) {
    auto call = dyn_cast<TorchOp>(op);
    return call && call.getName() == "aten.select.int" &&
           cast<RankedTensorType>(call.getResult(0).getType())
               .getElementType()
               .isInteger();
  };
  for (Operation &op : func.getBody().getOps())
    if (isKnownPart(op) || llvm::all_of(op.getOperands(), [&](Value operand) {
          return weights.contains(operand);
        }))
      for (Value result : llvm::make_filter_range(op.getResults(), isKnown))
        weights.insert(result);
}

void Roles::analyze(func::FuncOp func, const Rules &rules, Sizes &sizes) {
  findWeights(func);
  // Sizes of arguments first, so that they are the ones to be computed from.
  for (Value argument : func.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        sizes.of(argument, dim);
  // Rows that the capture found to be as many have a name in common.
  llvm::StringMap<Size> named;
  auto unifyByName = [&](Value value, StringAttr name) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!name || !type || type.getRank() == 0)
      return;
    SmallVector<Size> terms;
    for (StringRef term : llvm::split(name.getValue(), '+')) {
      int64_t number;
      auto known = named.find(term);
      if (known != named.end())
        terms.push_back(known->second);
      else if (!term.getAsInteger(10, number))
        terms.push_back(Size::of(number));
    }
    // A sum of what has no name here is as good a name.
    if (name.getValue().contains('+') &&
        terms.size() == name.getValue().count('+') + 1)
      sizes.unify(sizes.of(value, 0), sizes.sum(terms));
    auto [known, isNew] = named.try_emplace(name, sizes.of(value, 0));
    if (!isNew)
      sizes.unify(known->second, sizes.of(value, 0));
  };
  for (bool isSum : {false, true}) // of what has a name by then
    for (BlockArgument argument : func.getArguments())
      if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        kNumRowsAttr);
          name && name.getValue().contains('+') == isSum)
        unifyByName(argument, name);
  for (TorchOp op : func.getBody().getOps<TorchOp>()) {
    Arguments arguments(op);
    if (op.getNumResults() == 1)
      unifyByName(op.getResult(0), op->getAttrOfType<StringAttr>(kNumRowsAttr));
    if (op.getName() == "rgnn.hetero_edges") {
      addHeteroEdges(arguments, sizes);
      continue;
    }
    if (Value copied = getCopied(arguments)) {
      for (int64_t dim = 0; dim < arguments.resultType().getRank(); ++dim)
        sizes.unify(sizes.of(copied, dim), sizes.of(op.getResult(0), dim));
      continue;
    }
    auto rule = rules.find(op.getName());
    if (rule != rules.end() && rule->second.sizes)
      rule->second.sizes(arguments, sizes);
  }
  // All lists of edges, so that types find theirs wherever they are used first.
  for (TorchOp op : func.getBody().getOps<TorchOp>())
    for (Value result : op.getResults())
      (void)getEnd(result, sizes);
}
