//===- ProductCore.cpp - sums of products that a thread keeps -------------===//

#include "ProductCore.h"
#include "Alignment.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::hetkernel;

BlockShape::BlockShape(GPUGemmScheduleAttr schedule, int64_t threads,
                       int64_t minThreads, int64_t maxRows,
                       int64_t maxColumns) {
  auto divide = [](int64_t count, int64_t by) {
    return static_cast<int64_t>(llvm::divideCeil(uint64_t(count), by));
  };
  lanes =
      std::min<int64_t>(schedule.getLanes(), llvm::PowerOf2Ceil(maxColumns));
  columns = std::min(schedule.getBlockColumns(), divide(maxColumns, lanes));
  lines = std::min<int64_t>(threads / lanes,
                            std::max<int64_t>(llvm::PowerOf2Ceil(maxRows),
                                              divide(minThreads, lanes)));
  rows = std::min(schedule.getBlockRows(), divide(maxRows, lines));
}

static int64_t getFactorBytes(const BlockShape &shape, Type sumType) {
  return getGPUFactorBytes(shape.getRows(), shape.getColumns(),
                           sumType.getIntOrFloatBitWidth());
}

bool BlockShape::fits(Type sumType) const {
  return getFactorBytes(*this, sumType) <= rgnn::gpuSharedBytes;
}

LogicalResult BlockShape::verify(Operation *kernel, Type sumType) const {
  if (fits(sumType))
    return success();
  return kernel->emitOpError()
         << "expected a schedule with blocks of factors that fit "
         << rgnn::gpuSharedBytes << " bytes of shared memory, got " << getRows()
         << " x " << getColumns() << " numbers in "
         << getFactorBytes(*this, sumType);
}

Value hetkernel::scaleIndex(ImplicitLocOpBuilder &builder, Value index,
                            int64_t factor, int64_t offset) {
  return builder.createOrFold<arith::AddIOp>(
      builder.createOrFold<arith::MulIOp>(index, createIndex(builder, factor)),
      createIndex(builder, offset));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {

/// Terms of a sum that a thread has in registers: with more, blocks of 8 x 8
/// sums of aligned rows would have no room in 128 registers.
constexpr int64_t termsAtOnce = 2;

class ThreadCore : public ProductCore {
public:
  ThreadCore(ImplicitLocOpBuilder &builder, BlockShape shape, Value line,
             Value lane, Type sumType, bool interleavesRows,
             bool interleavesColumns)
      : builder(builder), sumType(sumType),
        readAtOnce(128 / sumType.getIntOrFloatBitWidth()) {
    auto share = [&](Value thread, int64_t threads, int64_t count,
                     int64_t adjacent, SmallVectorImpl<Value> &places) {
      for (int64_t i = 0; i < count; ++i)
        places.push_back(
            scaleIndex(builder, thread, adjacent,
                       i / adjacent * adjacent * threads + i % adjacent));
      return adjacent;
    };
    adjacentRows =
        share(line, shape.lines, shape.rows,
              interleavesRows ? 1 : std::gcd(shape.rows, readAtOnce), rows);
    adjacentColumns = share(
        lane, shape.lanes, shape.columns,
        interleavesColumns ? 1 : std::gcd(shape.columns, readAtOnce), columns);
  }

  /// Eight rows that follow each other begin in different banks, 16 bytes apart
  /// or more.
  int64_t getPitch(int64_t size, bool isSumContiguous) override {
    return isSumContiguous ? gpuProductTerms + readAtOnce : size;
  }

  SmallVector<Value> getZeros() override {
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(sumType));
    return SmallVector<Value>(rows.size() * columns.size(), zero);
  }

  SmallVector<Value> accumulate(const SharedFactor &first,
                                const SharedFactor &second, Value slot,
                                ArrayRef<Value> scales,
                                ValueRange kept) override;
  SmallVector<Value> getSums(ValueRange kept) override {
    return SmallVector<Value>(kept);
  }
  int64_t getAdjacentColumns() override { return adjacentColumns; }

private:
  /// The numbers of `count` that follow each other.
  void read(const SharedFactor &factor, Value slot, Value term, Value place,
            int64_t count, SmallVectorImpl<Value> &numbers);
  /// The numbers of a row (or column) for `termsAtOnce` terms from `begin`.
  SmallVector<Value> readTerms(const SharedFactor &factor, Value slot,
                               Value begin, Value place);

  ImplicitLocOpBuilder &builder;
  Type sumType;
  /// Numbers in the 16 bytes that a thread reads at once, if they follow each
  /// other.
  int64_t readAtOnce;
  int64_t adjacentRows, adjacentColumns;
};

} // namespace

void ThreadCore::read(const SharedFactor &factor, Value slot, Value term,
                      Value place, int64_t count,
                      SmallVectorImpl<Value> &numbers) {
  SmallVector<Value> position = factor.getPosition(slot, term, place);
  if (count == 1) {
    numbers.push_back(memref::LoadOp::create(builder, factor.memory, position));
    return;
  }
  auto type = VectorType::get(count, sumType);
  Value loaded =
      vector::LoadOp::create(builder, type, factor.memory, position,
                             /*nontemporal=*/false, getVectorAlignment(type));
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(vector::ExtractOp::create(builder, loaded, i));
}

SmallVector<Value> ThreadCore::readTerms(const SharedFactor &factor, Value slot,
                                         Value begin, Value place) {
  SmallVector<Value> numbers;
  if (factor.isSumContiguous)
    read(factor, slot, begin, place, termsAtOnce, numbers);
  for (int64_t term = numbers.size(); term < termsAtOnce; ++term)
    read(factor, slot, scaleIndex(builder, begin, 1, term), place, 1, numbers);
  return numbers;
}

SmallVector<Value> ThreadCore::accumulate(const SharedFactor &first,
                                          const SharedFactor &second,
                                          Value slot, ArrayRef<Value> scales,
                                          ValueRange kept) {
  auto loop = scf::ForOp::create(builder, createIndex(builder, 0),
                                 createIndex(builder, gpuProductTerms),
                                 createIndex(builder, termsAtOnce), kept);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar();
  SmallVector<Value> sums(loop.getRegionIterArgs());
  auto multiply = [&](size_t row, Value factor, ArrayRef<Value> others) {
    if (!scales.empty())
      factor = arith::MulFOp::create(builder, factor, scales[row]);
    for (auto [c, other] : llvm::enumerate(others)) {
      Value &sum = sums[row * columns.size() + c];
      sum = math::FmaOp::create(builder, factor, other, sum);
    }
  };
  // Beside the sums there is room for one factor's numbers of all terms, and
  // the other's of one row or term.
  SmallVector<SmallVector<Value>> all;
  if (second.isSumContiguous) {
    for (Value column : columns)
      all.push_back(readTerms(second, slot, begin, column));
    for (size_t r = 0; r < rows.size(); ++r) {
      SmallVector<Value> factors = readTerms(first, slot, begin, rows[r]);
      for (int64_t i = 0; i < termsAtOnce; ++i) {
        SmallVector<Value> others;
        for (ArrayRef<Value> ofColumn : all)
          others.push_back(ofColumn[i]);
        multiply(r, factors[i], others);
      }
    }
  } else {
    if (first.isSumContiguous)
      for (Value row : rows)
        all.push_back(readTerms(first, slot, begin, row));
    for (int64_t i = 0; i < termsAtOnce; ++i) {
      Value term = scaleIndex(builder, begin, 1, i);
      SmallVector<Value> factors, others;
      if (!first.isSumContiguous)
        for (size_t r = 0; r < rows.size(); r += adjacentRows)
          read(first, slot, term, rows[r], adjacentRows, factors);
      for (size_t c = 0; c < columns.size(); c += adjacentColumns)
        read(second, slot, term, columns[c], adjacentColumns, others);
      for (size_t r = 0; r < rows.size(); ++r)
        multiply(r, all.empty() ? factors[r] : all[r][i], others);
    }
  }
  scf::YieldOp::create(builder, sums);
  return SmallVector<Value>(loop.getResults());
}

std::unique_ptr<ProductCore> hetkernel::createThreadCore(
    ImplicitLocOpBuilder &builder, BlockShape shape, Value line, Value lane,
    Type sumType, bool isFirstSumContiguous, bool isSecondSumContiguous) {
  return std::make_unique<ThreadCore>(
      builder, shape, line, lane, sumType, isFirstSumContiguous,
      shape.interleaved || isSecondSumContiguous);
}
