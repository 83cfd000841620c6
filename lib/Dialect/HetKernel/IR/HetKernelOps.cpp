//===- HetKernelOps.cpp - verifiers and memory effects --------------------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// The row value that is left of a buffer below `indices` leading indices.
static Type getRowTypeBelow(Type buffer, int64_t indices) {
  auto shaped = cast<ShapedType>(buffer);
  return rgnn::getRowValueType(shaped.getShape().drop_front(indices),
                               shaped.getElementType());
}

/// Buffers are read and written; tensors are values and have no effects.
static void addEffect(OpOperand &operand, MemoryEffects::Effect *effect,
                      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<MemRefType>(operand.get().getType()))
    effects.emplace_back(effect, &operand, SideEffects::DefaultResource::get());
}

//===----------------------------------------------------------------------===//
// View
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  bool tiles = isTiles(getKind());
  auto type = cast<ShapedType>(getResult().getType());
  // C1
  if (tiles ? type.getRank() != 2 || type.getDimSize(1) != 3
            : type.getRank() != 1)
    return emitOpError() << "expected a result of shape "
                         << (tiles ? "?x3" : "?") << " for "
                         << stringifyViewKind(getKind()) << ", got " << type;
  // C2
  if (tiles ? static_cast<int64_t>(getParam()) < 1 : getParam() != 0)
    return emitOpError() << "expected a param of "
                         << (tiles ? "at least 1" : "0") << " for "
                         << stringifyViewKind(getKind()) << ", got "
                         << getParam();
  return success();
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// Tiles are `?x3`, lists of rank 1, where they are given.
static LogicalResult verifyTilesAndLists(Operation *op, Value tiles,
                                         ArrayRef<Value> lists) {
  if (tiles) {
    auto type = cast<ShapedType>(tiles.getType());
    if (type.getRank() != 2 || type.getDimSize(1) != 3)
      return op->emitOpError() << "expected tiles of shape ?x3, got " << type;
  }
  for (Value list : lists)
    if (list && cast<ShapedType>(list.getType()).getRank() != 1)
      return op->emitOpError()
             << "expected lists of rank 1, got " << list.getType();
  return success();
}

LogicalResult GemmOp::verify() {
  auto x = cast<ShapedType>(getX().getType()),
       weight = cast<ShapedType>(getWeight().getType()),
       out = cast<ShapedType>(getOut().getType());
  // C1
  if (x.getElementType() != weight.getElementType() ||
      x.getElementType() != out.getElementType())
    return emitOpError() << "expected one element type, got "
                         << x.getElementType() << ", "
                         << weight.getElementType() << " and "
                         << out.getElementType();
  if (getScale() && getElementTypeOrSelf(getScale()) != x.getElementType())
    return emitOpError() << "expected a scale of " << x.getElementType()
                         << ", got " << getScale().getType();
  int64_t typeDims = getTiles() ? 1 : 0;
  if (x.getRank() < 2 || out.getRank() != x.getRank() ||
      weight.getRank() != x.getRank() + typeDims)
    return emitOpError() << "expected x of rank " << weight.getRank() - typeDims
                         << " and out alike for weight " << weight << ", got "
                         << x << " and " << out;
  ArrayRef<int64_t> batch = x.getShape().drop_front().drop_back(),
                    matrix = weight.getShape().take_back(2);
  if (out.getShape().drop_front().drop_back() != batch ||
      weight.getShape().drop_front(typeDims).drop_back(2) != batch)
    return emitOpError()
           << "expected equal dimensions between rows and features, got " << x
           << ", " << weight << " and " << out;
  int64_t in = matrix[getTransposed() ? 1 : 0],
          columns = matrix[getTransposed() ? 0 : 1];
  if (x.getShape().back() != in || out.getShape().back() != columns)
    return emitOpError() << "expected x of " << in << " and out of " << columns
                         << " features, got " << x.getShape().back() << " and "
                         << out.getShape().back();
  // C4
  if (getBias()) {
    auto bias = cast<ShapedType>(getBias().getType());
    ArrayRef<int64_t> row = out.getShape().drop_front(),
                      shape = bias.getShape();
    bool isByType = getTiles() && bias.getRank() == out.getRank() &&
                    shape.front() == weight.getDimSize(0);
    if (bias.getElementType() != x.getElementType() ||
        (isByType ? shape.drop_front() : shape) != row)
      return emitOpError() << "expected a bias like the rows of " << out
                           << ", for all or for each type, got " << bias;
  }
  // C5
  if (getAtomic() && !getAccumulate())
    return emitOpError("expected accumulate with atomic, got a product that "
                       "replaces what there is");
  if (getAtomic() && out.getElementType().getIntOrFloatBitWidth() < 32)
    return emitOpError()
           << "expected floats of 32 or 64 bits to add to atomically, got "
           << out.getElementType();
  // C2
  return verifyTilesAndLists(*this, getTiles(),
                             {getGather(), getScatter(), getScale()});
}

void GemmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (operand.get() != getOut() || getAccumulate())
      addEffect(operand, MemoryEffects::Read::get(), effects);
  addEffect(getOutMutable(), MemoryEffects::Write::get(), effects);
}

//===----------------------------------------------------------------------===//
// OuterSum
//===----------------------------------------------------------------------===//

LogicalResult OuterSumOp::verify() {
  auto y = cast<ShapedType>(getY().getType()),
       x = getX() ? cast<ShapedType>(getX().getType()) : y,
       out = cast<ShapedType>(getOut().getType());
  // C1
  if (x.getElementType() != out.getElementType() ||
      y.getElementType() != out.getElementType())
    return emitOpError() << "expected one element type, got "
                         << x.getElementType() << ", " << y.getElementType()
                         << " and " << out.getElementType();
  if (y.getRank() < 2)
    return emitOpError() << "expected y of rank 2 or more, got " << y;
  if (x.getRank() != y.getRank() || x.getShape().drop_front().drop_back() !=
                                        y.getShape().drop_front().drop_back())
    return emitOpError()
           << "expected equal dimensions between rows and features, got " << x
           << " and " << y;
  SmallVector<int64_t> matrices(y.getShape().drop_front());
  if (getX())
    matrices.insert(std::prev(matrices.end()), x.getShape().back());
  int64_t typeDims = getTiles() ? 1 : 0;
  if (out.getRank() < typeDims ||
      out.getShape().drop_front(typeDims) != ArrayRef(matrices)) {
    InFlightDiagnostic error = emitOpError("expected out of shape ");
    error << (getTiles() ? "types x " : "");
    llvm::interleave(matrices, error, "x");
    return error << ", got " << out;
  }
  // C2
  if (failed(
          verifyTilesAndLists(*this, getTiles(), {getXGather(), getYGather()})))
    return failure();
  // C4
  DenseIntElementsAttr tiles;
  if (!getTiles() || !matchPattern(getTiles(), m_Constant(&tiles)))
    return success();
  SmallVector<int64_t> entries =
      llvm::map_to_vector(tiles.getValues<APInt>(),
                          [](const APInt &i) { return i.getSExtValue(); });
  for (size_t next = 3; next < entries.size(); next += 3)
    if (entries[next] < entries[next - 3])
      return emitOpError() << "expected tiles in the order of their types, got "
                           << "one of type " << entries[next - 3]
                           << " before one of type " << entries[next];
  return success();
}

void OuterSumOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (!isDpsInit(&operand))
      addEffect(operand, MemoryEffects::Read::get(), effects);
  addEffect(getOutMutable(), MemoryEffects::Write::get(), effects);
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  auto out = cast<ShapedType>(getOut().getType());
  // C1
  for (Value part : getParts()) {
    auto type = cast<ShapedType>(part.getType());
    if (type.getRank() == 0 || type.getRank() != out.getRank() ||
        type.getElementType() != out.getElementType() ||
        type.getShape().drop_front() != out.getShape().drop_front())
      return emitOpError() << "expected parts like " << out << ", got " << type;
  }
  return success();
}

void ConcatOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &part : getPartsMutable())
    addEffect(part, MemoryEffects::Read::get(), effects);
  addEffect(getOutMutable(), MemoryEffects::Write::get(), effects);
}

//===----------------------------------------------------------------------===//
// Rank
//===----------------------------------------------------------------------===//

LogicalResult RankOp::verify() {
  auto out = cast<ShapedType>(getOut().getType());
  // C1
  if (out.getRank() != 2)
    return emitOpError() << "expected out of rank 2, got " << out;
  for (Value rows : {getX(), getY(), getValues()}) {
    auto type = rows ? cast<ShapedType>(rows.getType()) : out;
    if (type.getRank() != 2 || type.getElementType() != out.getElementType() ||
        type.getDimSize(1) != out.getDimSize(1))
      return emitOpError() << "expected rows like those of " << out << ", got "
                           << type;
  }
  // C2
  for (Value list : {getSegments(), getList()})
    if (list && cast<ShapedType>(list.getType()).getRank() != 1)
      return emitOpError() << "expected lists of rank 1, got "
                           << list.getType();
  return success();
}

void RankOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (!isDpsInit(&operand))
      addEffect(operand, MemoryEffects::Read::get(), effects);
  addEffect(getOutMutable(), MemoryEffects::Write::get(), effects);
}

//===----------------------------------------------------------------------===//
// Traverse
//===----------------------------------------------------------------------===//

LogicalResult TraverseOp::verify() {
  Block &body = getBody().front();
  // C1
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError("expected a region with one argument of type index");
  // C2
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getOuts().size())
    return emitOpError() << "expected the region to yield " << getOuts().size()
                         << " values";
  for (auto [value, out] : llvm::zip(yield.getValues(), getOuts())) {
    Type expected = getRowTypeBelow(out.getType(), 1), got = value.getType();
    if (auto segment = dyn_cast<SegmentType>(got))
      got = segment.getElement();
    if (got != expected)
      return emitOpError() << "expected to yield " << expected << " for "
                           << out.getType() << ", got " << value.getType();
  }
  // C3
  if (!getSegments() && !body.getOps<ForEachOp>().empty())
    return emitOpError(
        "expected segments for the hetkernel.for_each in the region, got none");
  return success();
}

void TraverseOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getSegments())
    addEffect(*getSegmentsMutable().begin(), MemoryEffects::Read::get(),
              effects);
  for (OpOperand &out : getOutsMutable())
    addEffect(out, MemoryEffects::Write::get(), effects);
  // The rows that the region reads.
  getBody().walk([&](Operation *op) {
    if (auto row = dyn_cast<RowOp>(op))
      addEffect(row.getSourceMutable(), MemoryEffects::Read::get(), effects);
    else if (auto lookup = dyn_cast<LookupOp>(op))
      addEffect(lookup.getViewMutable(), MemoryEffects::Read::get(), effects);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      for (OpOperand &list : scatter.getListsMutable())
        addEffect(list, MemoryEffects::Read::get(), effects);
  });
}

LogicalResult ForEachOp::verify() {
  Block &body = getBody().front();
  // C1
  if (body.getNumArguments() != 1 + getInits().size() ||
      !body.getArgument(0).getType().isIndex())
    return emitOpError() << "expected an index and " << getInits().size()
                         << " accumulators as region arguments, got "
                         << body.getNumArguments();
  for (auto [argument, init] :
       llvm::zip(body.getArguments().drop_front(), getInits()))
    if (argument.getType() != init.getType())
      return emitOpError() << "expected accumulators of " << init.getType()
                           << ", got " << argument.getType();
  // C2
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getNumResults())
    return emitOpError() << "expected the region to yield " << getNumResults()
                         << " values";
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    Type expected = getResult(index).getType();
    if (index >= getInits().size()) {
      auto segment = dyn_cast<SegmentType>(expected);
      if (!segment)
        return emitOpError() << "expected result " << index
                             << " to be a segment, got " << expected;
      expected = segment.getElement();
    } else if (expected != getInits()[index].getType()) {
      return emitOpError() << "expected result " << index << " of "
                           << getInits()[index].getType() << ", got "
                           << expected;
    }
    if (value.getType() != expected)
      return emitOpError() << "expected to yield " << expected << " as value "
                           << index << ", got " << value.getType();
  }
  return success();
}

void LookupOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffect(getViewMutable(), MemoryEffects::Read::get(), effects);
}

LogicalResult ScatterOp::verify() {
  // C1
  if (getLists().empty())
    return emitOpError("expected at least one list, got none");
  for (Value list : getLists())
    if (cast<ShapedType>(list.getType()).getRank() != 1)
      return emitOpError() << "expected lists of rank 1, got "
                           << list.getType();
  return success();
}

LogicalResult RowOp::verify() {
  auto source = cast<ShapedType>(getSource().getType());
  int64_t indices = getIndices().size();
  // C1
  if (indices > source.getRank() ||
      getRowTypeBelow(source, indices) != getResult().getType())
    return emitOpError() << "expected the row below " << indices
                         << " indices of " << source << ", got "
                         << getResult().getType();
  return success();
}

void RowOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffect(getSourceMutable(), MemoryEffects::Read::get(), effects);
}

#define GET_OP_CLASSES
#include "RGNN/Dialect/HetKernel/IR/HetKernelOps.cpp.inc"
