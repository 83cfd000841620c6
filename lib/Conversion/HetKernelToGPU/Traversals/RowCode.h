//===- RowCode.h - the code of an outer row ---------------------*- C++ -*-===//
//
// Lanes share out the elements of every vector (WarpVectors.h); all of them
// compute every scalar. What crosses lanes, such as the dot product of a row or
// a head's score spread over its features, is shuffled. All lanes run the same
// iterations of every inner loop, since bounds are scalars.
//
// A block can have one row: its warps share out the inner rows, or its threads
// those of a loop over few numbers. Each sums up what it has, and all of it is
// added up in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ROWCODE_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ROWCODE_H

#include "WarpVectors.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::hetkernel {

/// Vectors of fewer elements leave most lanes without work.
constexpr int64_t minLaneElements = 16;

/// The elements of the largest vector of what `op` holds.
int64_t getWidth(Operation *op);

/// How each accumulator of a loop is combined with what an inner row makes:
/// `yield combine(accumulator, x)`, and no other use. nullopt where that is not
/// how, and for loops in which inner rows cannot change places.
using Combiners = SmallVector<std::pair<Operation *, vector::CombiningKind>, 2>;
std::optional<Combiners> matchCombiners(scf::ForOp loop);

/// What a loop reads of the lists of a graph with the number of an inner row
/// alone, and computes for that; and the entries that other ops use.
struct Lookups {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> results;
};
Lookups findLookups(scf::ForOp loop);

/// The threads of a block that has one outer row.
struct Team {
  /// Of its block, and of its warp.
  Value thread, lane, warp;
  int64_t numThreads;
  /// For each type of accumulators `[warps, numbers]`, in shared memory.
  llvm::SmallMapVector<Type, Value, 2> buffers;

  int64_t getNumWarps() const { return numThreads / warpSize; }
};

/// How many numbers of each type the accumulators of `loop` have.
llvm::SmallMapVector<Type, int64_t, 2> countAccumulators(scf::ForOp loop);

class RowCode {
public:
  /// By lanes that share out vectors. Loops compute up to `unroll` inner rows
  /// in one step, where these may change places.
  RowCode(ImplicitLocOpBuilder &builder, WarpCode lanes, int64_t unroll = 1)
      : builder(builder), lanes(lanes), thread(builder), code(&this->lanes),
        unroll(unroll) {}
  RowCode(const RowCode &) = delete;

  void setTeam(const Team &members) { team = members; }
  /// Names the row that `row` stands for.
  void map(Value row, Value number) { state.scalars.map(row, number); }
  void clone(Block &block);

private:
  /// What values of the loop nest became.
  struct State {
    IRMapping scalars;
    DenseMap<Value, Share> shares;
  };

  void clone(Operation &op);
  void cloneStore(memref::StoreOp store);
  Value cloneLoad(memref::LoadOp load);
  Share cloneVectorLoad(vector::LoadOp load);
  Share loadOwn(vector::LoadOp load);
  void cloneVectorStore(vector::StoreOp store);
  Share cloneElementwise(Operation &op);
  Share cloneInsert(vector::InsertStridedSliceOp insert);
  Share cloneReduction(vector::MultiDimReductionOp reduction);
  /// The elements that lanes have of what `op` makes; empty for an op that
  /// makes no vector.
  Share cloneVector(Operation &op);

  /// The inner rows of a step of a loop, and whether there are any such: a null
  /// value for the first, which there is.
  struct Step {
    SmallVector<Value> inner, exists;
  };

  // RowLoops.cpp
  void cloneLoop(scf::ForOp loop);
  void cloneInOrder(scf::ForOp loop);
  void cloneUnrolled(scf::ForOp loop, const Combiners &combiners);
  /// The code of a step of `loop`, without `lookups` that are made; the
  /// accumulators behind it.
  SmallVector<Share> cloneStep(scf::ForOp loop, const Combiners &combiners,
                               const Step &step, ArrayRef<Share> accumulators,
                               const Lookups &lookups, ValueRange made);
  /// What threads have of vectors that `loop` takes from outside.
  DenseMap<Value, Share> getWholeVectors(scf::ForOp loop);

  // RowSteps.cpp
  int64_t countAccesses(Operation *op);
  /// How many inner rows of `loop` a step computes: fewer of large ones. Clears
  /// `lookups` where those of the next step would find no registers.
  int64_t chooseUnroll(scf::ForOp loop, Lookups &lookups);
  Step getStep(Value first, Value stride, Value end, int64_t count);
  /// The results of `lookups` for each inner row of a step.
  SmallVector<Value> cloneLookups(scf::ForOp loop, const Lookups &lookups,
                                  const Step &step);
  /// The same of the step from `first` on, if it has a row; zeros otherwise.
  SmallVector<Value> lookAhead(scf::ForOp loop, const Lookups &lookups,
                               Value first, Value stride, Value end,
                               int64_t count);

  // RowParts.cpp
  /// Writes what the team's warps have of accumulators, and reads it all.
  void writeParts(scf::ForOp loop, const Combiners &combiners,
                  MutableArrayRef<Share> accumulators);
  SmallVector<Share> addParts(scf::ForOp loop, const Combiners &combiners);
  Share getNeutralShare(Type type, vector::CombiningKind kind);

  /// What a lane has of `value`: itself if it is a scalar.
  Share getShare(Value value);
  void setShare(Value value, ArrayRef<Value> share);
  /// Goes into a condition that the lane has this element, if some have none.
  void enterIfLaneHas(int64_t number, int64_t numElements);
  /// Goes into a condition that one member of the team meets, in code that all
  /// run.
  void enterIfFirst();
  SmallVector<Value> getPosition(ValueRange indices, Value element);

  ImplicitLocOpBuilder &builder;
  /// Who shares out vectors, and a thread that does not; which of them runs.
  WarpCode lanes, thread, *code;
  int64_t unroll;
  std::optional<Team> team;
  /// Whether each member of the team runs inner rows of its own.
  bool isInLoop = false;
  State state;
  /// Buffers that the row's code stores to, scalars by one lane.
  llvm::SmallSetVector<Value, 4> stored;
};

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_ROWCODE_H
