//===- TensorCore.cpp - sums of products on tensor cores ------------------===//

#include "ProductCore.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

static Value addIndex(ImplicitLocOpBuilder &builder, Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(a, b);
}

/// Quotient and remainder.
static std::pair<Value, Value> divideIndex(ImplicitLocOpBuilder &builder,
                                           Value index, int64_t by) {
  Value divisor = createIndex(builder, by);
  return {builder.createOrFold<arith::DivUIOp>(index, divisor),
          builder.createOrFold<arith::RemUIOp>(index, divisor)};
}

namespace {

/// A product of a warp: its rows, columns and terms.
constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaTerms = 8;

/// Lane `4 g + t` has rows `g` and `g + 8` and columns `2 t` and `2 t + 1` of
/// each product; of the factors, these rows or column `g`, and terms `t` and `t
/// + 4` (PTX ISA, "Matrix Fragments for mma.m16n8k8").
class TensorCore : public ProductCore {
public:
  /// `down` x `across` warps, each with a part of `numRows` x `numColumns`.
  TensorCore(ImplicitLocOpBuilder &builder, Value thread, int64_t across,
             int64_t numRows, int64_t numColumns, bool rounds)
      : builder(builder), numRows(numRows), numColumns(numColumns),
        rounds(rounds) {
    auto [warp, lane] = divideIndex(builder, thread, 32);
    auto [warpDown, warpAcross] = divideIndex(builder, warp, across);
    std::tie(group, member) = divideIndex(builder, lane, 4);
    firstRow = addIndex(builder, scaleIndex(builder, warpDown, numRows), group);
    Value column = scaleIndex(builder, warpAcross, numColumns);
    firstColumn = addIndex(builder, column, group);
    for (int64_t row = 0; row < numRows; row += 8)
      rows.push_back(scaleIndex(builder, firstRow, 1, row));
    for (int64_t first = 0; first < numColumns; first += mmaColumns)
      for (int64_t c = 0; c < 2; ++c)
        columns.push_back(addIndex(builder, column,
                                   scaleIndex(builder, member, 2, first + c)));
  }

  /// Lanes of four terms and eight rows hit all banks.
  int64_t getPitch(int64_t size, bool isSumContiguous) override {
    return isSumContiguous ? gpuProductTerms + 4 : llvm::alignTo(size, 32) + 8;
  }

  SmallVector<Value> getZeros() override {
    Value zero = arith::ConstantOp::create(
        builder, builder.getZeroAttr(getFragment(2, 2)));
    return SmallVector<Value>(numRows / mmaRows * (numColumns / mmaColumns),
                              zero);
  }

  SmallVector<Value> accumulate(const SharedFactor &first,
                                const SharedFactor &second, Value slot,
                                ArrayRef<Value> scales,
                                ValueRange kept) override;
  SmallVector<Value> getSums(ValueRange kept) override;
  int64_t getAdjacentColumns() override { return 2; }

private:
  VectorType getFragment(int64_t registers, int64_t numbers) {
    return VectorType::get({registers, numbers}, builder.getF32Type());
  }
  /// The fragment of a factor for the terms from `begin` and the rows (or
  /// columns) `places`: first all places of a term.
  Value loadFragment(const SharedFactor &factor, Value slot, Value begin,
                     ArrayRef<Value> places);

  ImplicitLocOpBuilder &builder;
  int64_t numRows, numColumns;
  bool rounds;
  /// `g` and `t`.
  Value group, member;
  Value firstRow, firstColumn;
};

} // namespace

/// Tensor cores would cut off what a TF32 does not hold, always towards zero.
static Value roundToTF32(ImplicitLocOpBuilder &builder, Value number) {
  Value bits = NVVM::ConvertFloatToTF32Op::create(
      builder, builder.getI32Type(), number, NVVM::FPRoundingMode::RNA);
  return arith::BitcastOp::create(builder, number.getType(), bits);
}

Value TensorCore::loadFragment(const SharedFactor &factor, Value slot,
                               Value begin, ArrayRef<Value> places) {
  SmallVector<Value> numbers;
  for (int64_t half : {0, 4}) {
    Value term = addIndex(builder, begin, scaleIndex(builder, member, 1, half));
    for (Value place : places) {
      Value number = memref::LoadOp::create(
          builder, factor.memory, factor.getPosition(slot, term, place));
      numbers.push_back(rounds ? roundToTF32(builder, number) : number);
    }
  }
  return vector::FromElementsOp::create(
      builder, getFragment(2 * places.size(), 1), numbers);
}

SmallVector<Value> TensorCore::accumulate(const SharedFactor &first,
                                          const SharedFactor &second,
                                          Value slot, ArrayRef<Value> scales,
                                          ValueRange kept) {
  assert(scales.empty() && "scales would be rounded with the factor");
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, gpuProductTerms),
                                 createIndex(builder, mmaTerms), kept);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar();
  SmallVector<Value> factors, others, next;
  for (size_t r = 0; r < rows.size(); r += 2)
    factors.push_back(loadFragment(first, slot, begin, {rows[r], rows[r + 1]}));
  for (int64_t column = 0; column < numColumns; column += mmaColumns)
    others.push_back(loadFragment(second, slot, begin,
                                  scaleIndex(builder, firstColumn, 1, column)));
  for (Value factor : factors)
    for (Value other : others)
      next.push_back(nvgpu::MmaSyncOp::create(
          builder, factor, other, loop.getRegionIterArg(next.size()),
          ArrayRef<int64_t>{mmaRows, mmaColumns, mmaTerms},
          /*tf32Enabled=*/true));
  scf::YieldOp::create(builder, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> TensorCore::getSums(ValueRange kept) {
  SmallVector<Value> sums;
  const int64_t across = numColumns / mmaColumns;
  for (int64_t r = 0, end = rows.size(); r < end; ++r)
    for (int64_t c = 0, last = columns.size(); c < last; ++c)
      sums.push_back(
          vector::ExtractOp::create(builder, kept[r / 2 * across + c / 2],
                                    ArrayRef<int64_t>{r % 2, c % 2}));
  return sums;
}

std::unique_ptr<ProductCore>
hetkernel::createTensorCore(ImplicitLocOpBuilder &builder, BlockShape shape,
                            Value thread, bool rounds) {
  if (shape.getThreads() % 32 != 0)
    return nullptr;
  // Of all partings, that whose parts have the shortest edges.
  const int64_t warps = shape.getThreads() / 32;
  int64_t bestAcross = 0, least = INT64_MAX;
  for (int64_t across = 1; across <= warps; ++across) {
    int64_t down = warps / across;
    if (warps % across != 0 || shape.getRows() % (down * mmaRows) != 0 ||
        shape.getColumns() % (across * mmaColumns) != 0)
      continue;
    int64_t edges = shape.getRows() / down + shape.getColumns() / across;
    if (edges < least)
      std::tie(bestAcross, least) = std::pair(across, edges);
  }
  if (bestAcross == 0)
    return nullptr;
  return std::make_unique<TensorCore>(builder, thread, bestAcross,
                                      shape.getRows() / (warps / bestAcross),
                                      shape.getColumns() / bestAcross, rounds);
}
