//===- PlanWorkspace.cpp - temporaries as views into one buffer -----------===//

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Support/CloneSlice.h"
#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNPLANWORKSPACEPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// From the first to the last op of the entry block that may touch a buffer,
/// both included; positions count the block's ops.
struct Lifetime {
  int64_t first, last;
};

/// Part of the workspace that buffers of disjoint lifetimes share.
struct Slot {
  int64_t staticBytes;
  SmallVector<Value>
      dynamicSizes; // in a fixed order: bytes = staticBytes * product
  SmallVector<Lifetime> lifetimes;
  Operation *firstAlloc;

  bool isFreeDuring(Lifetime lifetime) const {
    return llvm::none_of(lifetimes, [&](Lifetime other) {
      return lifetime.first <= other.last && other.first <= lifetime.last;
    });
  }
};

struct Planned {
  memref::AllocOp alloc;
  unsigned slot;
};

/// Numbers the ops of the entry block; loops that run at the same time have one
/// number.
class Positions {
public:
  explicit Positions(Block &block) : block(block) {
    DenseMap<Attribute, int64_t> groups;
    for (auto [position, op] : llvm::enumerate(block)) {
      Attribute group = op.getAttr(kGroupAttr);
      numbers[&op] =
          group ? groups.try_emplace(group, position).first->second : position;
    }
  }
  int64_t of(Operation *op) const {
    return numbers.lookup(block.findAncestorOpInBlock(*op));
  }
  int64_t end() const { return numbers.size(); }

private:
  Block &block;
  DenseMap<Operation *, int64_t> numbers;
};

} // namespace

/// Whether `op` makes its memref results known to the alias analysis, or no
/// pointer at all, so that the buffer's uses can be listed.
static bool usesAreKnown(Operation *op) {
  if (isa<ViewLikeOpInterface, RegionBranchOpInterface, BranchOpInterface,
          RegionBranchTerminatorOpInterface, SelectLikeOpInterface>(op))
    return true;
  if (isa<memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp,
          CallOpInterface>(op))
    return false;
  return llvm::none_of(op->getResultTypes(),
                       llvm::IsaPred<BaseMemRefType, LLVM::LLVMPointerType>);
}

static Lifetime lifetimeOf(memref::AllocOp alloc,
                           const BufferViewFlowAnalysis &aliases,
                           const Positions &positions) {
  Lifetime lifetime{positions.end(), positions.of(alloc)};
  for (Value alias : aliases.resolve(alloc.getResult())) {
    for (Operation *user : alias.getUsers()) {
      if (isa<memref::DeallocOp>(user))
        continue;
      lifetime.first = std::min(lifetime.first, positions.of(user));
      lifetime.last =
          std::max(lifetime.last,
                   usesAreKnown(user) ? positions.of(user) : positions.end());
    }
  }
  lifetime.first = std::min(lifetime.first, lifetime.last);
  return lifetime;
}

/// Whether the arguments alone say what `value` is. A division may trap, but
/// where it does so in the other function, it would have here. O(size of its
/// slice), kept in `known`.
static bool computableFromArguments(Value value, Block &entry,
                                    DenseMap<Value, bool> &known) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &entry;
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  Operation *op = value.getDefiningOp();
  const bool result = op->getBlock() == &entry && op->getNumRegions() == 0 &&
                      isMemoryEffectFree(op) &&
                      llvm::all_of(op->getOperands(), [&](Value operand) {
                        return computableFromArguments(operand, entry, known);
                      });
  return known[value] = result;
}

/// The buffer that `view` shows, where its rows are known by the buffer's:
/// `factor` of them for each.
static Value getBufferOfRows(Value view, int64_t &factor) {
  // How many of the first dimension a row has where dimensions are joined.
  auto countPerRow = [](auto op, MemRefType longer) -> std::optional<int64_t> {
    if (op.getReassociationIndices().empty())
      return std::nullopt;
    ArrayRef<int64_t> rest =
        longer.getShape()
            .take_front(op.getReassociationIndices().front().size())
            .drop_front();
    return ShapedType::isDynamicShape(rest)
               ? std::nullopt
               : std::optional(ShapedType::getNumElements(rest));
  };
  factor = 1;
  while (true) {
    if (auto collapse = view.getDefiningOp<memref::CollapseShapeOp>()) {
      std::optional<int64_t> count =
          countPerRow(collapse, collapse.getSrcType());
      if (!count)
        return view;
      factor *= *count;
      view = collapse.getSrc();
    } else if (auto expand = view.getDefiningOp<memref::ExpandShapeOp>();
               expand && countPerRow(expand, expand.getResultType()) == 1) {
      view = expand.getSrc();
    } else {
      return view;
    }
  }
}

/// Rows are counted by what buffers are allocated with, where that is known.
static void resolveRows(func::FuncOp func) {
  func.walk([](memref::DimOp dim) {
    int64_t factor = 1;
    Value buffer = getBufferOfRows(dim.getSource(), factor);
    auto regrouped = buffer.getDefiningOp<memref::ExpandShapeOp>();
    if (dim.getConstantIndex() != 0 ||
        (buffer == dim.getSource() && !regrouped))
      return;
    OpBuilder builder(dim);
    Value rows =
        regrouped
            ? getValueOrCreateConstantIndexOp(
                  builder, dim.getLoc(), regrouped.getMixedOutputShape()[0])
            : builder.createOrFold<memref::DimOp>(dim.getLoc(), buffer, 0);
    if (factor != 1)
      rows = arith::MulIOp::create(
          builder, dim.getLoc(), rows,
          arith::ConstantIndexOp::create(builder, dim.getLoc(), factor));
    dim.replaceAllUsesWith(rows);
    dim.erase();
  });
}

/// Why the workspace cannot hold the buffer.
static Refusal whyRefused(memref::AllocOp alloc, Block &entry,
                          unsigned alignment, DenseMap<Value, bool> &known) {
  MemRefType type = alloc.getType();
  if (alloc->getBlock() != &entry)
    return "it is not at the top level of the function";
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return "its layout is not the identity in the default memory space";
  if (alloc.getAlignment().value_or(0) > alignment)
    return "it asks for a larger alignment than the workspace has";
  if (!llvm::all_of(alloc.getDynamicSizes(), [&](Value size) {
        return computableFromArguments(size, entry, known);
      }))
    return "its size is not computed from the arguments";
  return {};
}

/// Bytes of a slot, a multiple of `alignment`.
static Value emitBytes(OpBuilder &builder, Location loc, const Slot &slot,
                       unsigned alignment,
                       llvm::function_ref<Value(Value)> map) {
  if (slot.dynamicSizes.empty())
    return arith::ConstantIndexOp::create(
        builder, loc, llvm::alignTo(slot.staticBytes, alignment));
  Value bytes = arith::ConstantIndexOp::create(builder, loc, slot.staticBytes);
  for (Value size : slot.dynamicSizes)
    bytes = arith::MulIOp::create(builder, loc, bytes, map(size));
  Value slack = arith::ConstantIndexOp::create(builder, loc, alignment - 1);
  Value mask = arith::ConstantIndexOp::create(builder, loc,
                                              -static_cast<int64_t>(alignment));
  return arith::AndIOp::create(
      builder, loc, arith::AddIOp::create(builder, loc, bytes, slack), mask);
}

namespace {

struct PlanWorkspacePass
    : rgnn::impl::RGNNPlanWorkspacePassBase<PlanWorkspacePass> {
  using RGNNPlanWorkspacePassBase::RGNNPlanWorkspacePassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    if (function == "forward")
      functions = getExported(getOperation());
    else if (auto func = getOperation().lookupSymbol<func::FuncOp>(function);
             func && !func.isExternal())
      functions.push_back(func);
    for (func::FuncOp func : functions)
      if (failed(runOnFunction(func)))
        return signalPassFailure();
  }

private:
  LogicalResult runOnFunction(func::FuncOp func) {
    if (!func.getBody().hasOneBlock())
      return func.emitError("expected a function of one block, got ")
             << func.getBody().getBlocks().size();
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
      return func.emitError(
                 "expected an alignment that is a power of two, got ")
             << alignment.getValue();
    resolveRows(func);
    plan(func);
    emitWorkspaceFunction(func);
    rewrite(func);
    reportCounts(func, getArgument(),
                 {{"bytes-static", bytesStatic},
                  {"num-slots", numSlots},
                  {"num-reused", numReused},
                  {"num-refused", numRefused}});
    return success();
  }

  void plan(func::FuncOp func) {
    slots.clear();
    planned.clear();
    bytesStatic = numSlots = numReused = numRefused = 0;
    Block &entry = func.getBody().front();
    BufferViewFlowAnalysis aliases(func);
    Positions positions(entry);
    DataLayout layout = DataLayout::closest(func);
    DenseMap<Value, bool> known;
    SmallVector<memref::AllocOp> refused;
    func.walk([&](memref::AllocOp alloc) {
      if (Refusal refusal = whyRefused(alloc, entry, alignment, known)) {
        PassRemarks(func, getArgument(), "OnHeap")
            .missed(alloc.getLoc(), "not in the workspace", refusal);
        if (alloc->getBlock() == &entry)
          refused.push_back(alloc);
        ++numRefused;
        return;
      }
      MemRefType type = alloc.getType();
      int64_t bytes = layout.getTypeSize(type.getElementType());
      for (int64_t size : type.getShape())
        bytes *= ShapedType::isDynamic(size) ? 1 : size;
      SmallVector<Value> sizes(alloc.getDynamicSizes());
      llvm::sort(sizes, [](Value a, Value b) {
        return a.getAsOpaquePointer() < b.getAsOpaquePointer();
      });
      place(alloc, bytes, std::move(sizes),
            lifetimeOf(alloc, aliases, positions));
    });
    for (memref::AllocOp alloc : refused)
      freeAtEnd(alloc, aliases, entry);
  }

  /// First fit among the slots of the same size.
  void place(memref::AllocOp alloc, int64_t bytes, SmallVector<Value> sizes,
             Lifetime lifetime) {
    for (auto [index, slot] : llvm::enumerate(slots)) {
      if (slot.staticBytes != bytes || slot.dynamicSizes != sizes ||
          !slot.isFreeDuring(lifetime))
        continue;
      slot.lifetimes.push_back(lifetime);
      planned.push_back({alloc, static_cast<unsigned>(index)});
      ++numReused;
      return;
    }
    if (sizes.empty())
      bytesStatic += llvm::alignTo(bytes, alignment);
    ++numSlots;
    planned.push_back({alloc, static_cast<unsigned>(slots.size())});
    slots.push_back({bytes, std::move(sizes), {lifetime}, alloc});
  }

  static void freeAtEnd(memref::AllocOp alloc,
                        const BufferViewFlowAnalysis &aliases, Block &entry) {
    for (Value alias : aliases.resolve(alloc.getResult()))
      if (llvm::any_of(alias.getUsers(),
                       llvm::IsaPred<memref::DeallocOp, func::ReturnOp>))
        return;
    OpBuilder builder(entry.getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  }

  void emitWorkspaceFunction(func::FuncOp func) {
    OpBuilder builder(func);
    builder.setInsertionPointAfter(func);
    Location loc = func.getLoc();
    auto type =
        builder.getFunctionType(func.getArgumentTypes(), builder.getI64Type());
    auto bytesFunc = func::FuncOp::create(
        builder, loc, (func.getName() + "_workspace").str(), type);
    if (ArrayAttr attributes = func.getAllArgAttrs())
      bytesFunc.setAllArgAttrs(attributes);
    Block *body = bytesFunc.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(func.getArguments(), body->getArguments());
    Value total = arith::ConstantIndexOp::create(builder, loc, 0);
    for (const Slot &slot : slots) {
      Value bytes = emitBytes(builder, loc, slot, alignment, [&](Value size) {
        return cloneSlice(builder, size, mapping);
      });
      total = arith::AddIOp::create(builder, loc, total, bytes);
    }
    total =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), total);
    func::ReturnOp::create(builder, loc, total);
  }

  void rewrite(func::FuncOp func) {
    auto bytesType = MemRefType::get({ShapedType::kDynamic},
                                     IntegerType::get(&getContext(), 8));
    auto attributes = DictionaryAttr::get(
        &getContext(),
        NamedAttribute(StringAttr::get(&getContext(), kWorkspaceAttr),
                       UnitAttr::get(&getContext())));
    (void)func.insertArgument(0, bytesType, attributes, func.getLoc());
    Value workspace = func.getArgument(0);

    // Slots are in the order of their first allocation, so every offset is
    // computed where the sizes before it are known.
    SmallVector<Value> offsets;
    Value end;
    for (auto [index, slot] : llvm::enumerate(slots)) {
      OpBuilder builder(slot.firstAlloc);
      Location loc = slot.firstAlloc->getLoc();
      if (index == 0)
        end = arith::ConstantIndexOp::create(builder, loc, 0);
      offsets.push_back(end);
      if (index + 1 < slots.size())
        end = arith::AddIOp::create(builder, loc, end,
                                    emitBytes(builder, loc, slot, alignment,
                                              [](Value size) { return size; }));
    }
    for (auto [alloc, slot] : planned) {
      OpBuilder builder(alloc);
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      Value view = memref::ViewOp::create(
          builder, alloc.getLoc(), alloc.getType(), workspace, offsets[slot],
          alloc.getDynamicSizes());
      alloc.getResult().replaceAllUsesWith(view);
      alloc->erase();
    }
  }

  SmallVector<Slot> slots;
  SmallVector<Planned> planned;
  int64_t bytesStatic = 0, numSlots = 0, numReused = 0, numRefused = 0;
};

} // namespace
