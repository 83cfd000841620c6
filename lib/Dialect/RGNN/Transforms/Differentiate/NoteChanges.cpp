//===- NoteChanges.cpp - which results change with which arguments --------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNNOTECHANGESPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

namespace {
struct NoteChangesPass : rgnn::impl::RGNNNoteChangesPassBase<NoteChangesPass> {
  using RGNNNoteChangesPassBase::RGNNNoteChangesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    Block &block = function.getBody().front();
    note(block);
    for (BlockArgument argument : block.getArguments())
      if (isFloat(argument)) {
        llvm::BitVector bits = changing.lookup(argument);
        SmallVector<int64_t> numbers(bits.set_bits_begin(),
                                     bits.set_bits_end());
        function.setArgAttr(argument.getArgNumber(), kChangesAttr,
                            DenseI64ArrayAttr::get(&getContext(), numbers));
      }
    changing.clear();
  }

private:
  /// Finds the results that change with each value, from the last op to the
  /// first.
  void note(Block &block) {
    Operation *end = block.getTerminator();
    unsigned numResults = end->getNumOperands();
    for (auto [number, result] : llvm::enumerate(end->getOperands()))
      if (isFloat(result))
        getBits(result, numResults).set(number);
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      llvm::BitVector changed(numResults);
      for (Value result : op.getResults())
        if (auto found = changing.find(result); found != changing.end())
          changed |= found->second;
      if (changed.none() || isa<DetachOp>(op))
        continue;
      for (Value value : getRead(op))
        if (isFloat(value))
          getBits(value, numResults) |= changed;
    }
  }

  /// What the results of an op may change with. A number that a map only
  /// compares changes none: truth values have no gradients.
  static llvm::SetVector<Value> getRead(Operation &op) {
    if (auto map = dyn_cast<MapOp>(op))
      return getRead(map);
    llvm::SetVector<Value> read;
    if (auto slope = dyn_cast<WithSlopeOp>(op)) {
      read.insert(slope.getValue());
      read.insert(slope.getBy());
      return read;
    }
    read.insert_range(op.getOperands());
    getUsedValuesDefinedAbove(op.getRegions(), read);
    return read;
  }

  static llvm::SetVector<Value> getRead(MapOp map) {
    Block &body = map.getBody().front();
    llvm::SetVector<Value> read;
    auto follow = [&](ValueRange values) {
      read.insert_range(llvm::make_filter_range(values, isFloat));
    };
    follow(body.getTerminator()->getOperands());
    for (unsigned i = 0; i < read.size(); ++i)
      if (Operation *op = read[i].getDefiningOp();
          op && op->getBlock() == &body)
        follow(op->getOperands());
    llvm::SetVector<Value> operands;
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), map->getOperands()))
      if (read.contains(argument))
        operands.insert(operand);
    return operands;
  }

  llvm::BitVector &getBits(Value value, unsigned numResults) {
    llvm::BitVector &bits = changing[value];
    bits.resize(numResults);
    return bits;
  }

  /// Of floating-point values, the numbers of the results that change with
  /// them.
  DenseMap<Value, llvm::BitVector> changing;
};
} // namespace
