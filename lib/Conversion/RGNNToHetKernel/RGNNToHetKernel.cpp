//===- RGNNToHetKernel.cpp - the conversion's order of work ---------------===//

#include "RGNN/Conversion/RGNNToHetKernel/RGNNToHetKernel.h"

#include "Converter.h"
#include "KernelOrder.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_CONVERTRGNNTOHETKERNELPASS
#include "RGNN/Conversion/RGNNToHetKernel/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

/// The tensor that holds the rows of `type`.
static Type stripRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !getRows(type))
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// Whether the op stays: the runtime makes its graphs.
static bool makesGraphs(Operation &op) {
  return op.getNumResults() > 0 &&
         isa<rgnn::GraphType>(op.getResult(0).getType());
}

static std::optional<Adjacency> parseAdjacency(StringRef name) {
  return llvm::StringSwitch<std::optional<Adjacency>>(name)
      .Case("auto", Adjacency::Auto)
      .Case("coo", Adjacency::COO)
      .Case("csc", Adjacency::CSC)
      .Default(std::nullopt);
}

namespace {
struct ConvertRGNNToHetKernel
    : rgnn::impl::ConvertRGNNToHetKernelPassBase<ConvertRGNNToHetKernel> {
  using ConvertRGNNToHetKernelPassBase::ConvertRGNNToHetKernelPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("expected a function of one block");
      return signalPassFailure();
    }
    for (Type type : function.getArgumentTypes())
      if (auto graph = dyn_cast<rgnn::GraphType>(type);
          graph && graph.getPart() != Part::Whole) {
        function.emitOpError()
            << "expected whole graphs as arguments, got " << type;
        return signalPassFailure();
      }
    std::optional<Adjacency> parsed = parseAdjacency(adjacency);
    if (!parsed) {
      function.emitError() << "expected auto, coo or csc as adjacency, got '"
                           << adjacency << "'";
      return signalPassFailure();
    }
    FailureOr<KernelPlan> plan =
        KernelPlan::compute(function, {*parsed, deterministic, fuse});
    if (failed(plan))
      return signalPassFailure();

    Block &block = function.getBody().front();
    SmallVector<Operation *> converted;
    for (Operation &op : block.without_terminator())
      if (isa<func::CallOp>(op) ||
          (isa_and_nonnull<RGNNDialect>(op.getDialect()) && !makesGraphs(op)))
        converted.push_back(&op);

    for (Operation *op : converted)
      if (failed(recordNodes(op)))
        return signalPassFailure();

    // Everything is emitted before the terminator, phase by phase.
    OpBuilder builder(block.getTerminator());
    Converter converter(builder, *plan, tileRows, outerSumTileRows);
    numGemms = numOuterSums = numRanks = numTraversals = numFused = 0;
    for (BlockArgument argument : block.getArguments()) {
      RowsAttr rows = getRows(argument.getType());
      converter.setTensor(argument, argument,
                          rows ? getCallersPlace(rows.getDomain()) : Place());
    }
    for (int64_t phase = 0; phase < plan->getNumPhases(); ++phase)
      if (failed(convertPhase(converter, *plan, phase)))
        return signalPassFailure();

    if (failed(takeTensors(converter, block.getTerminator())))
      return signalPassFailure();
    for (Operation *op : llvm::reverse(converted))
      op->erase();
    for (BlockArgument argument : block.getArguments()) {
      if (RowsAttr rows = getRows(argument.getType());
          rows && failed(recordRows(function, argument, rows)))
        return signalPassFailure();
      argument.setType(stripRows(argument.getType()));
    }
    function.setFunctionType(builder.getFunctionType(
        block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
    reportCounts(function, getArgument(),
                 {{"num-gemms", numGemms},
                  {"num-outer-sums", numOuterSums},
                  {"num-ranks", numRanks},
                  {"num-traversals", numTraversals},
                  {"num-fused", numFused}});
  }

  LogicalResult convertPhase(Converter &converter, const KernelPlan &plan,
                             int64_t phase) {
    Operation *terminator = &*converter.builder.getInsertionPoint();
    SmallVector<Operation *> ops =
        llvm::filter_to_vector(plan.getOps(phase), [&](Operation *op) {
          const OpPlan &own = plan.get(op);
          return op != terminator && !own.getIf<LoadPlan>() &&
                 !own.getIf<AbsorbedPlan>() && !own.getNest();
        });
    for (Operation *op : orderForMemory(ops))
      if (failed(convertOp(converter, plan.get(op), op, terminator)))
        return failure();
    for (const TraversalGroup &group : plan.getTraversals(phase)) {
      ++numTraversals;
      numFused += group.ops.size() - 1;
      reportFusion(plan, group);
      converter.convertTraversal(group);
    }
    return success();
  }

  LogicalResult convertOp(Converter &converter, const OpPlan &plan,
                          Operation *op, Operation *terminator) {
    return std::visit(
        llvm::makeVisitor(
            [&](BoundaryPlan) {
              return convertBoundary(converter, op, terminator);
            },
            [&](const GemmPlan &gemm) {
              ++numGemms;
              if (gemm.sum)
                report(op, "Unordered",
                       "a product adds its rows to those of nodes, in any "
                       "order");
              return converter.convertGemm(op);
            },
            [&](const SumPlan &) { return convertSum(converter, op); },
            [&](ViewPlan) { return converter.convertView(op); },
            [&](WholePlan) {
              numGemms += isa<LinearOp, MatmulOp>(op);
              numOuterSums += isa<rgnn::OuterSumOp>(op);
              return converter.convertWhole(op);
            },
            // Whatever reads these computes them, or they share a kernel.
            [](LoadPlan) { return success(); },
            [](AbsorbedPlan) { return success(); },
            [](const TraversalPlan &) { return success(); }),
        plan.computation);
  }

  LogicalResult convertSum(Converter &converter, Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](LookupSumOp sum) {
          ++numTraversals;
          return converter.convertLookupSum(sum);
        })
        .Case([&](GroupExcessOp excess) {
          ++numRanks;
          return converter.convertRank(excess, excess.getX(), excess.getY(),
                                       Value(), excess.getPath());
        })
        .Case([&](GroupSumBelowOp sum) {
          ++numRanks;
          return converter.convertRank(sum, sum.getX(), sum.getY(),
                                       sum.getRows(), sum.getPath());
        })
        .Default([&](Operation *other) {
          ++numOuterSums;
          return converter.convertOuterSum(other);
        });
  }

  void reportFusion(const KernelPlan &plan, const TraversalGroup &group) {
    if (!fuse)
      return;
    if (group.ops.size() > 1)
      report(group.ops.back(), "Fused",
             llvm::formatv("{0} ops share a traversal over rows of {1}",
                           group.ops.size(), stringifyDomain(group.nest.outer))
                 .str());
    for (Operation *op : group.ops) {
      Value rows = op->getResult(0);
      if (getRows(rows.getType()).getDomain() != Domain::Edge ||
          !plan.isStored(rows) || isGivenToCaller(rows))
        continue;
      auto reader = llvm::find_if(op->getUsers(), [&](Operation *user) {
        return !llvm::is_contained(group.ops, user);
      });
      if (reader == op->user_end())
        continue;
      PassRemarks(getOperation(), getArgument(), "Fused")
          .missed(op->getLoc(), "rows of edges are stored",
                  "another kernel computes " +
                      reader->getName().getStringRef() + " of them");
    }
  }

  void report(Operation *op, StringRef name, StringRef text) {
    PassRemarks(getOperation(), getArgument(), name).passed(op->getLoc(), text);
  }

  /// Says at a graph of the caller how many nodes it must have, for the caller
  /// to check: as many as a table has rows of a type.
  LogicalResult recordNodes(Operation *op) {
    Value graph, table;
    if (auto lookup = dyn_cast<rgnn::LookupOp>(op)) {
      graph = lookup.getGraph();
      table = lookup.getTable();
    } else if (auto sum = dyn_cast<LookupSumOp>(op)) {
      graph = sum.getGraph();
      table = sum.getResult();
    }
    auto argument = dyn_cast_if_present<BlockArgument>(graph);
    if (!argument)
      return success();
    int64_t nodes = cast<RankedTensorType>(table.getType()).getDimSize(1);
    func::FuncOp function = getOperation();
    unsigned number = argument.getArgNumber();
    auto known =
        function.getArgAttrOfType<IntegerAttr>(number, kTotalNodesAttr);
    if (known && known.getInt() != nodes)
      return op->emitOpError() << "cannot be lowered: expected a table of "
                               << known.getInt() << " nodes, as another has, "
                               << "got " << table.getType();
    function.setArgAttr(number, kTotalNodesAttr,
                        Builder(op).getI64IntegerAttr(nodes));
    return success();
  }

  /// Whether the nodes of the rows' graph, or of their type, are as many as
  /// `argument` has rows.
  static bool isCountedBy(BlockArgument argument, RowsAttr rows) {
    if (rows.getDomain() != Domain::Node)
      return false;
    auto isCount = [&](COOGraphOp graph) {
      size_t type = std::max<int64_t>(rows.getType(), 0),
             numCounts = graph.getNodes().size();
      if (graph.getGraph().getType().getSchema() != rows.getGraph() ||
          type >= numCounts || (rows.getType() < 0) != (numCounts == 1))
        return false;
      auto count = graph.getNodes()[type].getDefiningOp<tensor::DimOp>();
      return count && count.getSource() == argument &&
             count.getConstantIndex() == 0;
    };
    return llvm::any_of(argument.getOwner()->getOps<COOGraphOp>(), isCount);
  }

  /// Says at an argument that it must have as many rows as another graph, too.
  static void addRows(func::FuncOp function, unsigned number, RowsAttr rows) {
    SmallVector<Attribute> all;
    if (auto more = function.getArgAttrOfType<ArrayAttr>(number, kMoreRowsAttr))
      llvm::append_range(all, more);
    if (!llvm::is_contained(all, rows))
      all.push_back(rows);
    function.setArgAttr(number, kMoreRowsAttr,
                        ArrayAttr::get(function.getContext(), all));
  }

  /// Says at an argument how many rows it must have, for the caller to check.
  /// A graph that it counts the nodes of may be one of two that it has rows of.
  LogicalResult recordRows(Operation *user, Value tensor, RowsAttr rows) {
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (!argument ||
        !cast<RankedTensorType>(argument.getType()).isDynamicDim(0))
      return success();
    func::FuncOp function = getOperation();
    // The only type of nodes is all nodes.
    if (getNumTypes(user, rows.getGraph(), Domain::NType) == 1)
      rows = rows.on(rows.getDomain());
    auto known =
        function.getArgAttrOfType<RowsAttr>(argument.getArgNumber(), kRowsAttr);
    if (known && known != rows) {
      // What a backward is given had both kinds of rows in the forward.
      bool wasThere = llvm::any_of(
          ArrayRef<StringRef>{kArgumentAttr, kResultAttr,
                              kGradientOfResultAttr},
          [&](StringRef name) {
            return function.getArgAttr(argument.getArgNumber(), name);
          });
      if (wasThere || isCountedBy(argument, rows))
        return success();
      if (!isCountedBy(argument, known)) {
        addRows(function, argument.getArgNumber(), rows);
        return success();
      }
    }
    function.setArgAttr(argument.getArgNumber(), kRowsAttr, rows);
    return success();
  }

  /// Gives an op that stays the tensors in the place of its operands.
  LogicalResult takeTensors(Converter &converter, Operation *op) {
    OpBuilder::InsertionGuard guard(converter.builder);
    converter.builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      FailureOr<Value> tensor = op->getParentOp()->hasAttr(kOnceAttr)
                                    ? converter.getNumbered(op, operand.get())
                                    : converter.getForCaller(op, operand.get());
      if (failed(tensor))
        return failure();
      if (*tensor)
        operand.set(*tensor);
    }
    return success();
  }

  LogicalResult convertBoundary(Converter &converter, Operation *op,
                                Operation *terminator) {
    if (auto place = dyn_cast<PlaceOp>(op)) {
      if (failed(
              recordRows(place, place.getTensor(), getRows(place.getType()))))
        return failure();
      converter.setTensor(
          place.getResult(), converter.getTensor(place.getTensor()),
          getCallersPlace(getRows(place.getType()).getDomain()));
      return success();
    }
    if (auto unplace = dyn_cast<UnplaceOp>(op)) {
      FailureOr<Value> tensor = converter.getForCaller(op, unplace.getRows());
      if (failed(tensor))
        return failure();
      converter.setTensor(unplace.getResult(), *tensor);
      unplace.getResult().replaceAllUsesWith(*tensor);
      return success();
    }
    if (auto call = dyn_cast<func::CallOp>(op)) {
      SmallVector<Type> types =
          llvm::map_to_vector(call.getResultTypes(), stripRows);
      SmallVector<Value> operands =
          llvm::map_to_vector(call.getOperands(), [&](Value operand) {
            return converter.getTensor(operand);
          });
      auto plain = func::CallOp::create(converter.builder, call.getLoc(),
                                        call.getCallee(), types, operands);
      for (auto [result, tensor] :
           llvm::zip(call.getResults(), plain.getResults()))
        converter.setTensor(result, tensor);
      return success();
    }
    // Sizes, constants, casts and graphs stay as they are.
    op->moveBefore(terminator);
    if (failed(takeTensors(converter, op)))
      return failure();
    for (Value result : op->getResults())
      converter.setTensor(result, result);
    return success();
  }

  int64_t numGemms = 0, numOuterSums = 0, numRanks = 0, numTraversals = 0,
          numFused = 0;
};
} // namespace
