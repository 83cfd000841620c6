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

#ifndef RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H
#define RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H

#include "Nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn {

/// How an op is computed.
enum class Kind {
  Gemm,      ///< hetkernel.gemm
  OuterSum,  ///< hetkernel.outer_sum, or a sum for each row of a table
  View,      ///< a reshape, slice or concatenation of whole tensors
  Plain,     ///< on tensors without rows
  Traversal, ///< in a hetkernel.traverse
  Load,      ///< movement that whatever reads the result does itself
  Boundary   ///< graphs, rows entering and leaving
};

struct OpPlan {
  Kind kind = Kind::Boundary;
  int64_t phase = 0;
  Nest nest;
  /// Inner loop that computes an edge value; for a value of the outer row, the
  /// first loop that can read it.
  int64_t stage = 0;
};

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

private:
  LogicalResult plan(Operation &op);
  LogicalResult planTraversal(Operation &op, OpPlan &result);
  /// What the kernel of `op` computes in addition: the product of a bias, or
  /// that of a sum whose rows may be added up in any order. Null if nothing.
  Operation *getInnerProduct(Operation *op) const;
  void findReductionNests(Block &block);
  void sinkRows();
  void computeStages();
  Nest getEdgeNest(Operation &op, Value graph) const;
  std::optional<Nest> getOperandNest(Operation &op) const;
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

/// A product of rows and a bias that its kernel adds: for all rows, or by the
/// type that the weight has, too.
struct BiasedProduct {
  Operation *product;
  Value bias;
};
/// Those that `sum` adds up, if nothing else reads the product.
std::optional<BiasedProduct> getBiasedProduct(Operation *sum);

/// The product of which `op` sums up rows for each node, if a GEMM can add them
/// to those of the nodes at once; nothing else reads it. Null if it cannot.
Operation *getSummedProduct(Operation *op);

/// Whether `op` sums up rows that each type has a run of, which an outer sum
/// without a first factor does, split over rows.
bool isSumByType(Operation *op);

/// Whether the kernel of a product, or of a sum of products, can do the gather
/// of its operand.
bool canFuseGather(Operation *product, GatherOp gather);
/// The gather of `operand` if it can; else none.
GatherOp getFusedGather(Operation *product, Value operand);

/// An order of `ops`, which are given in program order, that keeps dependences
/// and needs little memory.
SmallVector<Operation *> orderForMemory(ArrayRef<Operation *> ops);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CONVERSION_RGNNTOHETKERNEL_KERNELPLAN_H
