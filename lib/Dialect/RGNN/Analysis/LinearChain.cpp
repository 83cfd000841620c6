//===- LinearChain.cpp - products of rows that follow each other ----------===//

#include "RGNN/Dialect/RGNN/Analysis/LinearChain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

Value rgnn::getBias(MapOp map, Value rows) {
  Block &body = map.getBody().front();
  auto sum = dyn_cast<arith::AddFOp>(body.front());
  if (!sum || map.getInputs().size() != 2 ||
      body.getTerminator()->getOperand(0) != sum.getResult() ||
      map.getResult().getType() != rows.getType())
    return {};
  if (!isa<BlockArgument>(sum.getLhs()) || !isa<BlockArgument>(sum.getRhs()) ||
      sum.getLhs() == sum.getRhs())
    return {};
  Value bias = map.getInputs()[map.getInputs()[0] == rows ? 1 : 0];
  auto type = cast<RankedTensorType>(bias.getType());
  ArrayRef<int64_t> row = getRowShape(rows.getType());
  // One of all heads is one of each.
  int64_t rank = type.getRank(), rowRank = row.size();
  if (!getRows(type))
    return rank > 0 && rank <= rowRank && row.take_back(rank) == type.getShape()
               ? bias
               : Value();
  auto gather = bias.getDefiningOp<GatherOp>();
  bool isByType =
      gather &&
      (gather.getPath() == Path::EType || gather.getPath() == Path::NType) &&
      getRowShape(type) == row &&
      cast<RankedTensorType>(gather.getRows().getType()).hasStaticShape();
  return isByType ? bias : Value();
}

Value rgnn::getBias(const FirstProduct &first, ArrayRef<Operation *> steps,
                    size_t number) {
  auto map = dyn_cast<MapOp>(steps[number]);
  Operation *before = number == 0 ? first.op : steps[number - 1];
  return map ? getBias(map, before->getResult(0)) : Value();
}

//===----------------------------------------------------------------------===//
// First products
//===----------------------------------------------------------------------===//

/// The product of the nodes of one type that makes `part`, which nothing else
/// reads.
static std::optional<NodeTypeProduct> matchNodeType(Value part) {
  NodeTypeProduct result;
  Value rows = part;
  if (auto map = part.getDefiningOp<MapOp>()) {
    auto input = llvm::find_if(map.getInputs(), [](Value input) {
      return input.getDefiningOp<LinearOp>() != nullptr;
    });
    if (input == map.getInputs().end())
      return std::nullopt;
    rows = *input;
    result.bias = getBias(map, rows);
    if (!result.bias || getRows(result.bias.getType()))
      return std::nullopt;
  }
  result.product = rows.getDefiningOp<LinearOp>();
  if (!result.product || !part.hasOneUse() || !rows.hasOneUse() ||
      getRowShape(rows.getType()).size() != 1)
    return std::nullopt;
  return result;
}

std::optional<FirstProduct> FirstProduct::match(Operation *op) {
  FirstProduct first;
  first.op = op;
  if (isa<LinearOp, TypedLinearOp>(op))
    return getRows(op->getResult(0).getType()) ? std::optional(first)
                                               : std::nullopt;
  auto concat = dyn_cast<ConcatTypesOp>(op);
  if (!concat)
    return std::nullopt;
  for (Value part : concat.getParts()) {
    std::optional<NodeTypeProduct> ofType = matchNodeType(part);
    if (!ofType || (!first.ofTypes.empty() &&
                    !ofType->bias != !first.ofTypes.front().bias))
      return std::nullopt;
    first.ofTypes.push_back(*ofType);
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Whether a product multiplies what `op` makes of its rows, one by one.
static bool isMultipliedLater(Operation *op) {
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (isa<LinearOp, TypedLinearOp>(reached[i]))
      return true;
    if (isa<RowOpInterface, GatherOp>(reached[i]))
      reached.insert_range(reached[i]->getUsers());
  }
  return false;
}

/// Follows `rows`, which `steps` have made, to the products that multiply them.
static void collectChains(Value rows, SmallVectorImpl<Operation *> &steps,
                          ReadColumns &columns) {
  for (Operation *user : rows.getUsers()) {
    auto map = dyn_cast<MapOp>(user);
    if (user->getBlock() != rows.getParentBlock()) {
      columns.isReadOtherwise = true;
    } else if (isa<LinearOp, TypedLinearOp>(user)) {
      columns.chains.push_back({llvm::to_vector(steps), user});
    } else if (isa<ReshapeOp, SliceOp, GatherOp>(user) ||
               (map && getBias(map, rows))) {
      steps.push_back(user);
      collectChains(user->getResult(0), steps, columns);
      steps.pop_back();
    } else {
      columns.isReadOtherwise = true;
      if (isMultipliedLater(user))
        columns.barrier =
            isa<PermuteOp>(user)
                ? "rows are transposed between the products"
                : "something else than a bias is between the products";
    }
  }
}

/// The slices of columns by which alone `rows` are read, if none shares a
/// column with another; empty otherwise.
static SmallVector<SliceOp> getSlices(Value rows) {
  SmallVector<SliceOp> slices;
  for (Operation *user : rows.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || getRowShape(rows.getType()).size() != 1)
      return {};
    slices.push_back(slice);
  }
  llvm::sort(slices,
             [](SliceOp a, SliceOp b) { return a.getBegin() < b.getBegin(); });
  for (size_t i = 1; i < slices.size(); ++i)
    if (slices[i].getBegin() <
        slices[i - 1].getBegin() + slices[i - 1].getSize())
      return {};
  return slices;
}

SmallVector<ReadColumns> rgnn::findReadColumns(const FirstProduct &first) {
  ReadColumns all;
  all.rows = first.op->getResult(0);
  while (all.rows.hasOneUse()) {
    auto map = dyn_cast<MapOp>(*all.rows.user_begin());
    if (!map || !getBias(map, all.rows))
      break;
    all.steps.push_back(map);
    all.rows = map.getResult();
  }
  SmallVector<ReadColumns> result;
  for (SliceOp slice : getSlices(all.rows)) {
    ReadColumns &part = result.emplace_back(all);
    part.steps.push_back(slice);
    part.rows = slice.getResult();
  }
  if (result.empty())
    result.push_back(all);
  for (ReadColumns &columns : result) {
    SmallVector<Operation *> steps(columns.steps);
    collectChains(columns.rows, steps, columns);
    llvm::sort(columns.chains, [](const LinearChain &a, const LinearChain &b) {
      return a.second->isBeforeInBlock(b.second);
    });
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// An edge knows the node types of its ends only.
static TypeIndex moveAlong(TypeIndex index, ArrayRef<Operation *> steps) {
  for (Operation *step : steps)
    if (auto gather = dyn_cast<GatherOp>(step);
        gather && index.type == Path::NType && !index.end)
      index.end = gather.getPath();
  return index;
}

TypeIndex rgnn::getWeightIndex(const FirstProduct &first,
                               ArrayRef<Operation *> steps) {
  TypeIndex index;
  if (!first.ofTypes.empty()) {
    index.type = Path::NType;
    index.count = first.ofTypes.size();
  } else if (auto typed = dyn_cast<TypedLinearOp>(first.op)) {
    index.type = typed.getPath();
    index.count =
        cast<RankedTensorType>(typed.getWeight().getType()).getDimSize(0);
  }
  return moveAlong(index, steps);
}

TypeIndex rgnn::getBiasIndex(Value bias, ArrayRef<Operation *> steps) {
  TypeIndex index;
  if (auto gather = bias.getDefiningOp<GatherOp>();
      gather && getRows(bias.getType())) {
    index.type = gather.getPath();
    index.count =
        cast<RankedTensorType>(gather.getRows().getType()).getDimSize(0);
  }
  return moveAlong(index, steps);
}

std::optional<ArrayRef<int64_t>> rgnn::getNodeTypes(Operation *second, Path end,
                                                    int64_t count) {
  auto typed = dyn_cast<TypedLinearOp>(second);
  if (!typed || typed.getPath() != Path::EType)
    return std::nullopt;
  auto schema = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(
      second, typed.getGraph().getType().getSchema());
  if (!schema)
    return std::nullopt;
  std::optional<ArrayRef<int64_t>> types =
      end == Path::Src ? schema.getSrcTypes() : schema.getDstTypes();
  int64_t weights =
      cast<RankedTensorType>(typed.getWeight().getType()).getDimSize(0);
  if (!types || static_cast<int64_t>(types->size()) != weights ||
      llvm::any_of(*types, [&](int64_t type) { return type >= count; }))
    return std::nullopt;
  return types;
}

/// Why nothing has the index `index` and is multiplied by the weight of
/// `second`, too.
static Refusal whyNotIndexed(const TypeIndex &index, Operation *second) {
  auto typed = dyn_cast<TypedLinearOp>(second);
  if (!index.type)
    return {};
  if (!index.end)
    return !typed || typed.getPath() == *index.type
               ? Refusal()
               : "the types of both products differ";
  if (!typed)
    return "edges have a product by node type in front, and none by edge type";
  if (index.count == 1 || getNodeTypes(second, *index.end, index.count))
    return {};
  return *index.end == Path::Src
             ? "the schema does not say the source type of each edge type"
             : "the schema does not say the destination type of each edge type";
}

Refusal rgnn::whyNotComposed(const FirstProduct &first,
                             const LinearChain &chain) {
  if (llvm::any_of(first.ofTypes, [&](const NodeTypeProduct &ofType) {
        Value x = ofType.product->getOperand(0);
        return getRowShape(x.getType()).back() != first.getInner();
      }))
    return "features of node types differ in width";
  if (first.hasHeads() &&
      llvm::any_of(chain.steps, llvm::IsaPred<ReshapeOp, SliceOp>))
    return "the second product has other heads than the first";
  if (Refusal refusal =
          whyNotIndexed(getWeightIndex(first, chain.steps), chain.second))
    return refusal;
  ArrayRef<Operation *> steps = chain.steps;
  bool hasBias = !first.ofTypes.empty() && first.ofTypes.front().bias;
  for (size_t number = 0; number < steps.size(); ++number) {
    Value bias = getBias(first, steps, number);
    if (!bias)
      continue;
    hasBias = true;
    if (Refusal refusal = whyNotIndexed(
            getBiasIndex(bias, steps.drop_front(number)), chain.second))
      return refusal;
  }
  // Rows of a bias times each weight are those of all types of the graph.
  auto typed = dyn_cast<TypedLinearOp>(chain.second);
  if (!hasBias || !typed)
    return {};
  RowsAttr rows = getRows(typed.getResult().getType());
  Domain types = *follow(rows.getDomain(), typed.getPath());
  return getNumTypes(typed, rows.getGraph(), types)
             ? Refusal()
             : "there is a bias, and the schema does not say how many types "
               "the second product has";
}
