//===- Translator.h - from regions to programs ------------------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GPU_TRANSLATOR_H
#define RGNN_LIB_REFERENCE_GPU_TRANSLATOR_H

#include "Machine/MemRefRegisters.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn::simulator {

/// Translates the ops of one function or kernel. A value has as many registers
/// as its type needs, the same ones all the time.
class Translator {
public:
  /// Values that `region` uses from outside are read from the registers of
  /// `parent`, if there is one.
  Translator(Program &program, Translator *parent)
      : program(program), parent(parent) {}

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// The number of registers of a value, or 0 where the simulator has none of
  /// that type.
  static unsigned getNumWords(Type type);

  /// Registers of a value, new ones where its definition comes later.
  unsigned getSlot(Value value);
  SmallVector<unsigned> getSlots(ValueRange values);
  MemRefRegisters getMemRef(Value value);
  /// Registers for a value that is about to be defined.
  unsigned define(Value value);
  SmallVector<unsigned> define(ValueRange values);
  /// Registers that are no value's.
  unsigned allocate(unsigned numWords);
  /// Lets a value live in the registers of another.
  void bind(Value value, unsigned slot) { slots[value] = slot; }
  /// Values of the parent and the registers of this program that they go to.
  const llvm::MapVector<Value, unsigned> &getCaptures() const {
    return captures;
  }

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  void emit(Operation *op, Step step);
  /// An instruction that cannot fail.
  template <typename Fn>
  void emitPlain(Operation *op, Fn fn) {
    emit(op, [fn](Thread &thread) {
      fn(thread);
      return success();
    });
  }
  void emitCollective(Operation *op, Collective collective);
  /// Copies values at once: `to` may be registers of `from`.
  void emitCopies(Operation *op, ValueRange from, ArrayRef<unsigned> to);

  unsigned createLabel();
  /// The label is that of the next instruction.
  void place(unsigned label) { program.labels[label] = program.code.size(); }
  void emitJump(Operation *op, unsigned label);
  /// Jumps where the bool in a register is as given.
  void emitJumpIf(Operation *op, unsigned condition, bool value,
                  unsigned label);

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult translate(Operation *op);
  /// All ops of a block but its terminator.
  LogicalResult translateBody(Block &block);
  /// The body of a function: several blocks, each with its terminator.
  LogicalResult translateFunction(Region &region);
  /// The label of a block of the function.
  unsigned getLabel(Block *block) { return blocks.lookup(block); }

  Program &program;
  /// Functions whose bodies are being translated in the place of calls.
  SmallVector<Operation *> callees;

private:
  LogicalResult checkTypes(Operation *op, TypeRange types);

  Translator *parent;
  Region *root = nullptr;
  DenseMap<Value, unsigned> slots;
  llvm::MapVector<Value, unsigned> captures;
  DenseMap<Block *, unsigned> blocks;
};

/// How each op is translated.
class OpTable {
public:
  using Translate = std::function<LogicalResult(Translator &, Operation *)>;

  static const OpTable &get();

  template <typename OpTy, typename Fn>
  void add(Fn fn) {
    entries[TypeID::get<OpTy>()] = [fn](Translator &translator, Operation *op) {
      return fn(translator, cast<OpTy>(op));
    };
  }
  /// Several ops whose translation asks the op for nothing of its own.
  template <typename... OpTys>
  void addAll(Translate translate) {
    ((entries[TypeID::get<OpTys>()] = translate), ...);
  }
  const Translate *find(Operation *op) const;

private:
  DenseMap<TypeID, Translate> entries;
};

void addArithOps(OpTable &table);
void addIntegerOps(OpTable &table);
void addMathOps(OpTable &table);
void addControlFlowOps(OpTable &table);
void addAllocationOps(OpTable &table);
void addMemRefViewOps(OpTable &table);
void addMemRefAccessOps(OpTable &table);
void addVectorOps(OpTable &table);
void addVectorReductionOps(OpTable &table);
void addVectorAccessOps(OpTable &table);
void addLaunchOps(OpTable &table);
void addThreadOps(OpTable &table);
void addAsyncCopyOps(OpTable &table);
void addTensorCoreOps(OpTable &table);

} // namespace mlir::rgnn::simulator

#endif // RGNN_LIB_REFERENCE_GPU_TRANSLATOR_H
