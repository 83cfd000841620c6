//===- Translator.cpp - from regions to programs --------------------------===//

#include "Translator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

unsigned Translator::getNumWords(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getElementType().isIntOrIndexOrFloat() &&
                   getNumWords(memref.getElementType()) == 1
               ? MemRefRegisters::getNumWords(memref.getRank())
               : 0;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.isScalable() || getNumWords(vector.getElementType()) != 1
               ? 0
               : vector.getNumElements();
  bool isWord = type.isIndex() ||
                (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
  return isWord || isa<gpu::AsyncTokenType, nvgpu::DeviceAsyncTokenType>(type);
}

unsigned Translator::allocate(unsigned numWords) {
  unsigned slot = program.registers.size();
  program.registers.resize(slot + numWords);
  return slot;
}

unsigned Translator::define(Value value) {
  auto [found, isNew] = slots.try_emplace(value, 0);
  if (isNew)
    found->second = allocate(getNumWords(value.getType()));
  return found->second;
}

SmallVector<unsigned> Translator::define(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return define(v); });
}

unsigned Translator::getSlot(Value value) {
  if (auto found = slots.find(value); found != slots.end())
    return found->second;
  unsigned slot = define(value);
  if (parent && !root->isAncestor(value.getParentRegion()))
    captures[value] = slot;
  return slot;
}

SmallVector<unsigned> Translator::getSlots(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return getSlot(v); });
}

MemRefRegisters Translator::getMemRef(Value value) {
  return {getSlot(value), cast<BaseMemRefType>(value.getType())};
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Translator::emit(Operation *op, Step step) {
  program.code.push_back({op, std::move(step), nullptr});
}

void Translator::emitCollective(Operation *op, Collective collective) {
  program.code.push_back(
      {op, nullptr, std::make_unique<Collective>(std::move(collective))});
}

void Translator::emitCopies(Operation *op, ValueRange from,
                            ArrayRef<unsigned> to) {
  SmallVector<std::pair<unsigned, unsigned>> words;
  for (auto [value, target] : llvm::zip_equal(from, to))
    for (unsigned i = 0, slot = getSlot(value),
                  n = getNumWords(value.getType());
         i < n; ++i)
      if (slot != target)
        words.push_back({slot + i, target + i});
  if (words.empty())
    return;
  DenseSet<unsigned> written;
  bool overlaps = llvm::any_of(words, [&](auto word) {
    bool isOverwritten = written.contains(word.first);
    written.insert(word.second);
    return isOverwritten;
  });
  if (!overlaps)
    return emitPlain(op, [words](Thread &thread) {
      for (auto [source, target] : words)
        thread.at(target) = thread.at(source);
    });
  emitPlain(op, [words](Thread &thread) {
    SmallVector<Word> values;
    for (auto [source, target] : words)
      values.push_back(thread.at(source));
    for (auto [word, value] : llvm::zip_equal(words, values))
      thread.at(word.second) = value;
  });
}

unsigned Translator::createLabel() {
  program.labels.push_back(0);
  return program.labels.size() - 1;
}

void Translator::emitJump(Operation *op, unsigned label) {
  emitPlain(op, [label](Thread &thread) {
    thread.pc = thread.program.labels[label];
  });
}

void Translator::emitJumpIf(Operation *op, unsigned condition, bool value,
                            unsigned label) {
  emitPlain(op, [=](Thread &thread) {
    if ((thread.at(condition) != 0) == value)
      thread.pc = thread.program.labels[label];
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable table;
    addArithOps(table);
    addIntegerOps(table);
    addMathOps(table);
    addControlFlowOps(table);
    addAllocationOps(table);
    addMemRefViewOps(table);
    addMemRefAccessOps(table);
    addVectorOps(table);
    addVectorReductionOps(table);
    addVectorAccessOps(table);
    addLaunchOps(table);
    addThreadOps(table);
    addAsyncCopyOps(table);
    addTensorCoreOps(table);
    return table;
  }();
  return table;
}

const OpTable::Translate *OpTable::find(Operation *op) const {
  if (!op->isRegistered())
    return nullptr;
  auto found = entries.find(op->getName().getTypeID());
  return found == entries.end() ? nullptr : &found->second;
}

LogicalResult Translator::checkTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (getNumWords(type) == 0)
      return op->emitOpError("the simulator does not know values of type ")
             << type;
  return success();
}

LogicalResult Translator::translate(Operation *op) {
  const OpTable::Translate *translate = OpTable::get().find(op);
  if (!translate)
    return op->emitOpError("the simulator does not know this op");
  if (failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(checkTypes(op, block.getArgumentTypes())))
        return failure();
  return (*translate)(*this, op);
}

LogicalResult Translator::translateBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translate(&op)))
      return failure();
  return success();
}

LogicalResult Translator::translateFunction(Region &region) {
  root = &region;
  for (Block &block : region) {
    blocks[&block] = createLabel();
    if (&block != &region.front())
      define(block.getArguments());
  }
  for (Block &block : region) {
    place(getLabel(&block));
    for (Operation &op : block)
      if (failed(translate(&op)))
        return failure();
  }
  return success();
}
