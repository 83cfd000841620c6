//===- PrintTraffic.cpp - what kernels read and write ---------------------===//

#include "RGNN/Analysis/GraphSizePass.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELPRINTTRAFFICPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::Domain;
using rgnn::RowsAttr;

/// What the entries of a list enumerate, the inner rows of offsets, or the rows
/// of tiles.
static Domain getEnumerated(ViewKind kind) {
  switch (kind) {
  case ViewKind::NTypeTiles:
  case ViewKind::NTypeOfNode:
  case ViewKind::NTypeOffsets:
    return Domain::Node;
  case ViewKind::SrcPairNode:
  case ViewKind::SrcPairEType:
  case ViewKind::SrcPairSrcOffsets:
  case ViewKind::SrcPairSrcPairs:
  case ViewKind::SrcPairETypeOffsets:
  case ViewKind::SrcPairTiles:
    return Domain::SrcPair;
  case ViewKind::DstPairRuns:
  case ViewKind::DstPairRank:
  case ViewKind::DstPairNode:
  case ViewKind::DstPairEType:
  case ViewKind::DstPairDstOffsets:
  case ViewKind::DstPairETypeOffsets:
  case ViewKind::DstPairTiles:
    return Domain::DstPair;
  default:
    return Domain::Edge;
  }
}

static RowsAttr getCounted(SizeOp size) {
  auto rows = [&](Domain domain, int64_t type = -1) {
    return RowsAttr::get(size.getContext(), domain,
                         size.getGraph().getType().getSchema(), type);
  };
  switch (size.getKind()) {
  case SizeKind::Node:
    return rows(Domain::Node);
  case SizeKind::NodeType:
    return rows(Domain::Node, size.getParam());
  case SizeKind::Edge:
    return rows(Domain::Edge);
  case SizeKind::SrcPair:
    return rows(Domain::SrcPair);
  case SizeKind::DstPair:
    return rows(Domain::DstPair);
  case SizeKind::EdgeTypeCount:
    return rows(Domain::EType);
  case SizeKind::NodeTypeCount:
    return rows(Domain::NType);
  }
  llvm_unreachable("all sizes are above");
}

namespace {

struct Traffic {
  int64_t rows = 0, innerRows = 0, bytesRead = 0, bytesWritten = 0;
};

/// Counts what one kernel does.
class Counter {
public:
  Counter(Operation *kernel, const rgnn::GraphSizes &sizes)
      : kernel(kernel), sizes(sizes) {}

  /// Fails, with an error at the kernel, where a size is not known.
  FailureOr<Traffic> count();

private:
  void countGemm(GemmOp gemm);
  void countOuterSum(OuterSumOp sum);
  void countConcat(ConcatOp concat);
  void countTraverse(TraverseOp traverse);

  /// Numbers of rows; 0 and `isKnown` false where they are not known.
  int64_t lookUp(RowsAttr rows);
  int64_t getNumber(Value index);
  int64_t getLength(Value view);
  /// Rows of a tensor, and bytes of one of them, or of all of it.
  int64_t getNumRows(Value tensor);
  int64_t getRowBytes(Value tensor);
  int64_t getBytes(Value tensor) {
    return getNumRows(tensor) * getRowBytes(tensor);
  }

  Operation *kernel;
  const rgnn::GraphSizes &sizes;
  Traffic traffic;
  bool isKnown = true;
};

} // namespace

int64_t Counter::lookUp(RowsAttr rows) {
  std::optional<int64_t> number =
      rows ? sizes.getNumRows(kernel, rows) : std::nullopt;
  isKnown &= number.has_value();
  return number.value_or(0);
}

int64_t Counter::getNumber(Value index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return *number;
  auto size = index.getDefiningOp<SizeOp>();
  if (auto dim = index.getDefiningOp<tensor::DimOp>();
      dim && dim.getConstantIndex() == 0)
    return getNumRows(dim.getSource());
  return lookUp(size ? getCounted(size) : RowsAttr());
}

int64_t Counter::getLength(Value view) {
  auto op = view.getDefiningOp<ViewOp>();
  return lookUp(op ? RowsAttr::get(op.getContext(), getEnumerated(op.getKind()),
                                   op.getGraph().getType().getSchema())
                   : RowsAttr());
}

int64_t Counter::getNumRows(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return type.getRank() == 0 ? 1 : type.getDimSize(0);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return lookUp(function.getArgAttrOfType<RowsAttr>(argument.getArgNumber(),
                                                      "rgnn.rows"));
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return getNumber(empty.getDynamicSizes().front());
  if (auto made = dyn_cast<DestinationStyleOpInterface>(op))
    return getNumRows(made.getTiedOpOperand(cast<OpResult>(tensor))->get());
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
          tensor::ExtractSliceOp>(op))
    return getNumRows(op->getOperand(0));
  return lookUp(RowsAttr());
}

int64_t Counter::getRowBytes(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  ArrayRef<int64_t> row = type.getShape().drop_front(type.getRank() > 0);
  isKnown &= !ShapedType::isDynamicShape(row);
  return isKnown ? ShapedType::getNumElements(row) *
                       type.getElementTypeBitWidth() / 8
                 : 0;
}

void Counter::countGemm(GemmOp gemm) {
  int64_t rows = gemm.getTiles()    ? getLength(gemm.getTiles())
                 : gemm.getGather() ? getLength(gemm.getGather())
                                    : getNumRows(gemm.getX());
  int64_t written = rows * getRowBytes(gemm.getOut());
  traffic.rows = rows;
  traffic.bytesRead = rows * getRowBytes(gemm.getX()) +
                      getBytes(gemm.getWeight()) +
                      (gemm.getAccumulate() ? written : 0);
  if (Value scale = gemm.getScale())
    traffic.bytesRead += rows * getRowBytes(scale);
  traffic.bytesWritten = written;
}

void Counter::countOuterSum(OuterSumOp sum) {
  int64_t rows = sum.getTiles()     ? getLength(sum.getTiles())
                 : sum.getYGather() ? getLength(sum.getYGather())
                                    : getNumRows(sum.getY());
  traffic.rows = rows;
  traffic.bytesRead = rows * getRowBytes(sum.getY());
  if (Value x = sum.getX())
    traffic.bytesRead += rows * getRowBytes(x);
  traffic.bytesWritten = getBytes(sum.getOut());
}

void Counter::countConcat(ConcatOp concat) {
  traffic.rows = getNumRows(concat.getOut());
  traffic.bytesRead = traffic.bytesWritten = getBytes(concat.getOut());
}

void Counter::countTraverse(TraverseOp traverse) {
  traffic.rows = getNumber(traverse.getRows());
  if (Value segments = traverse.getSegments())
    traffic.innerRows = getLength(segments);
  traverse.getBody().walk([&](RowOp row) {
    int64_t times = row.getIndices().empty()             ? 1
                    : isa<ForEachOp>(row->getParentOp()) ? traffic.innerRows
                                                         : traffic.rows;
    Type type = row.getResult().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        cast<ShapedType>(row.getSource().getType()).getElementTypeBitWidth();
    traffic.bytesRead +=
        times * (vector ? vector.getNumElements() : 1) * bits / 8;
  });
  Operation *yield = traverse.getBody().front().getTerminator();
  for (auto [value, out] : llvm::zip(yield->getOperands(), traverse.getOuts()))
    traffic.bytesWritten +=
        (isa<SegmentType>(value.getType()) ? traffic.innerRows : traffic.rows) *
        getRowBytes(out);
}

FailureOr<Traffic> Counter::count() {
  llvm::TypeSwitch<Operation *>(kernel)
      .Case([&](GemmOp gemm) { countGemm(gemm); })
      .Case([&](OuterSumOp sum) { countOuterSum(sum); })
      .Case([&](ConcatOp concat) { countConcat(concat); })
      .Case([&](TraverseOp traverse) { countTraverse(traverse); });
  if (!isKnown)
    return kernel->emitOpError("expected sizes of a graph that are given");
  return traffic;
}

namespace {
struct PrintTraffic
    : rgnn::GraphSizePass<
          hetkernel::impl::HetKernelPrintTrafficPassBase<PrintTraffic>> {
  using GraphSizePass::GraphSizePass;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    sizes = getSizes();
    // In one piece, so that nothing that others print comes in between.
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && failed(printTable(os, function)))
        return signalPassFailure();
    llvm::errs() << text;
  }

private:
  LogicalResult printTable(raw_ostream &os, func::FuncOp function) {
    const char *line = "  {0,-20} {1,13} {2,13} {3,19} {4,19}\n";
    os << "traffic of @" << function.getName() << "\n"
       << llvm::formatv(line, "kernel", "rows", "inner rows", "bytes read",
                        "bytes written");
    Traffic all;
    for (Operation &op : function.getBody().front()) {
      if (!isa<GemmOp, OuterSumOp, ConcatOp, TraverseOp>(op))
        continue;
      FailureOr<Traffic> traffic = Counter(&op, sizes).count();
      if (failed(traffic))
        return failure();
      os << llvm::formatv(line, op.getName(), traffic->rows, traffic->innerRows,
                          traffic->bytesRead, traffic->bytesWritten);
      all.rows += traffic->rows;
      all.innerRows += traffic->innerRows;
      all.bytesRead += traffic->bytesRead;
      all.bytesWritten += traffic->bytesWritten;
    }
    os << llvm::formatv(line, "all", all.rows, all.innerRows, all.bytesRead,
                        all.bytesWritten);
    return success();
  }

  rgnn::GraphSizes sizes;
};
} // namespace
