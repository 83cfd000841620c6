//===- VectorReductions.cpp - reductions of vectors, and masks ------------===//

#include "Elementwise.h"
#include "VectorShape.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Emits reductions of the source's elements, each to the result that `target`
/// numbers; `initial` is what results start with, if anything.
static LogicalResult emitReduction(Translator &translator, Operation *op,
                                   vector::CombiningKind kind, Value source,
                                   Value initial,
                                   SmallVector<unsigned> targets) {
  Combine combine = getCombine(vector::stringifyCombiningKind(kind),
                               getElementTypeOrSelf(source));
  if (!combine)
    return op->emitOpError("the simulator does not know this kind for ")
           << source.getType();
  unsigned from = translator.getSlot(source),
           result = translator.define(op->getResult(0)),
           total = Translator::getNumWords(op->getResult(0).getType());
  std::optional<unsigned> start;
  if (initial)
    start = translator.getSlot(initial);
  translator.emitPlain(op, [=](Thread &thread) {
    SmallVector<bool> hasValue(total, start.has_value());
    for (unsigned i = 0; start && i < total; ++i)
      thread.at(result + i) = thread.at(*start + i);
    for (auto [i, target] : llvm::enumerate(targets)) {
      Word &sum = thread.at(result + target), next = thread.at(from + i);
      sum = hasValue[target] ? combine(sum, next) : next;
      hasValue[target] = true;
    }
  });
  return success();
}

static LogicalResult translateReduction(Translator &translator,
                                        vector::ReductionOp op) {
  return emitReduction(
      translator, op, op.getKind(), op.getVector(), op.getAcc(),
      SmallVector<unsigned>(Translator::getNumWords(op.getSourceVectorType()),
                            0));
}

static LogicalResult translateMultiReduction(Translator &translator,
                                             vector::MultiDimReductionOp op) {
  SmallVector<unsigned> targets;
  SmallVector<bool> reduced = op.getReductionMask();
  forEachElement(
      op.getSourceVectorType().getShape(),
      [&](ArrayRef<int64_t> index, int64_t) {
        unsigned target = 0;
        for (auto [dim, i] : llvm::enumerate(index))
          if (!reduced[dim])
            target = target * op.getSourceVectorType().getDimSize(dim) + i;
        targets.push_back(target);
      });
  return emitReduction(translator, op, op.getKind(), op.getSource(),
                       op.getAcc(), std::move(targets));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// A mask whose sizes are in registers.
static LogicalResult translateCreateMask(Translator &translator,
                                         vector::CreateMaskOp op) {
  SmallVector<unsigned> sizes = translator.getSlots(op.getOperands());
  SmallVector<int64_t> shape = getShape(op.getType());
  unsigned result = translator.define(op.getResult());
  translator.emitPlain(op, [=](Thread &thread) {
    forEachElement(shape, [&](ArrayRef<int64_t> index, int64_t number) {
      thread.at(result + number) =
          llvm::all_of(llvm::zip_equal(index, sizes), [&](auto pair) {
            return std::get<0>(pair) < thread.getInt(std::get<1>(pair));
          });
    });
  });
  return success();
}

static LogicalResult translateConstantMask(Translator &translator,
                                           vector::ConstantMaskOp op) {
  unsigned result = translator.define(op.getResult());
  forEachElement(
      getShape(op.getType()), [&](ArrayRef<int64_t> index, int64_t number) {
        translator.program.registers[result + number] =
            llvm::all_of(llvm::zip(index, op.getMaskDimSizes()), [](auto pair) {
              return std::get<0>(pair) < std::get<1>(pair);
            });
      });
  return success();
}

void simulator::addVectorReductionOps(OpTable &table) {
  table.add<vector::ReductionOp>(translateReduction);
  table.add<vector::MultiDimReductionOp>(translateMultiReduction);
  table.add<vector::CreateMaskOp>(translateCreateMask);
  table.add<vector::ConstantMaskOp>(translateConstantMask);
}
