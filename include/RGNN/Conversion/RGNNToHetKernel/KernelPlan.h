//===- KernelPlan.h - which op runs in which kernel -------------*- C++ -*-===//
//
// Every op on rows is computed in one of three ways: by a kernel of its own (a
// product of rows, or a sum of products), by a traversal kernel that it may
// share with others, or as a new view of a tensor that is there already.
// Kernels are ordered by *phase*: in each phase first GEMMs and views run, then
// one traversal for each nest. What a traversal makes can be read by GEMMs of
// the next phase.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H
#define RGNN_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H

#include "RGNN/Conversion/RGNNToHetKernel/Nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <variant>

namespace mlir::rgnn {

/// Graphs are made, or rows enter or leave: no kernel.
struct BoundaryPlan {};
/// What reads the result moves the rows.
struct LoadPlan {};
/// The kernel that reads the result, alone, computes it, too.
struct AbsorbedPlan {};
/// A reshape, slice or concatenation of rows that are stored.
struct ViewPlan {};
/// Tensors without rows.
struct WholePlan {};

/// A hetkernel.gemm.
struct GemmPlan {
  Operation *product; ///< the op itself, or one that it absorbs
  Value bias;         ///< null if none is added
  ReduceOp sum;       ///< that adds the product's rows up, in any order
  Value graph;        ///< of the product's rows
};

/// A hetkernel.outer_sum, a hetkernel.rank, or a sum for each row of a table.
struct SumPlan {
  Value graph; ///< of the rows that are summed up
};

/// A part of a hetkernel.traverse.
struct TraversalPlan {
  Nest nest;
  /// Inner loop that computes an edge value; for a value of the outer row, the
  /// first loop that can read it.
  int64_t stage = 0;
};

struct OpPlan {
  std::variant<BoundaryPlan, LoadPlan, AbsorbedPlan, ViewPlan, WholePlan,
               GemmPlan, SumPlan, TraversalPlan>
      computation;
  int64_t phase = 0;

  template <typename Plan>
  const Plan *getIf() const {
    return std::get_if<Plan>(&computation);
  }
  const Nest *getNest() const {
    auto *traversal = getIf<TraversalPlan>();
    return traversal ? &traversal->nest : nullptr;
  }
};

/// Writes "traversal, phase 0, nest node by dst of edge, stage 1".
raw_ostream &operator<<(raw_ostream &os, const OpPlan &plan);

/// One traversal kernel: its ops in program order.
struct TraversalGroup {
  Nest nest;
  SmallVector<Operation *> ops;
};

/// How kernels find the edges whose rows they compute: within the incoming
/// edges of a node, one by one with their ends looked up, or as suits what
/// reads the rows.
enum class Adjacency { Auto, COO, CSC };

struct PlanOptions {
  Adjacency adjacency = Adjacency::Auto;
  /// Whether the rows of a node are added up in the same order in every run.
  bool deterministic = true;
  /// Whether ops share traversals.
  bool fuse = true;
};

class KernelPlan {
public:
  /// Plans all ops of `function`. Fails with an error at an op that no kernel
  /// computes.
  static FailureOr<KernelPlan> compute(func::FuncOp function,
                                       PlanOptions options);

  const OpPlan &get(Operation *op) const { return plans.find(op)->second; }
  /// The plan of the op that makes `value`, or null for an argument.
  const OpPlan *get(Value value) const;

  /// Whether a traversal makes `value`.
  bool isTraversed(Value value) const;

  /// Whether `value` is needed outside of the kernel that makes it.
  bool isStored(Value value) const;

  int64_t getNumPhases() const { return numPhases; }
  /// Ops of a phase in program order.
  SmallVector<Operation *> getOps(int64_t phase) const;
  SmallVector<TraversalGroup> getTraversals(int64_t phase) const;

  /// Writes a line for each op.
  void print(raw_ostream &os) const;

private:
  FailureOr<OpPlan> plan(Operation &op);
  FailureOr<OpPlan> planProduct(Operation &op, Operation *product);
  FailureOr<OpPlan> planSum(Operation &op);
  FailureOr<OpPlan> planTraversal(Operation &op);
  /// The phase of an op that runs after all that makes `operands`.
  int64_t getPhaseAfter(ValueRange operands) const;
  /// What the kernel of `op` computes in addition: the product of a bias, or
  /// that of a sum whose rows may be added up in any order. Null if nothing.
  Operation *getInnerProduct(Operation *op) const;

  // Nests of traversals.
  FailureOr<Nest> chooseNest(Operation &op) const;
  Nest getEdgeNest(Operation &op, Value graph) const;
  std::optional<Nest> getOperandNest(Operation &op) const;
  void findReductionNests(Block &block);

  // What follows from all plans.
  void sinkRows();
  void computeStages();

  bool isInSameKernel(Operation *user, const OpPlan &producer,
                      const Read &read) const;
  /// What makes `value`, past gathers that its reader does itself.
  const OpPlan *getProducer(Value value) const;
  /// Whether a kernel over `nest` can read what it computes itself.
  bool isFusable(const Read &read, const OpPlan &producer,
                 const Nest &nest) const;

  PlanOptions options;
  DenseMap<Operation *, std::optional<Nest>> reductionNests;
  llvm::MapVector<Operation *, OpPlan> plans;
  int64_t numPhases = 1;
};

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H
