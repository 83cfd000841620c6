//===- Traffic.cpp - what kernels read, write and compute -----------------===//

#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hetkernel;
using rgnn::Domain;
using rgnn::RowsAttr;

static RowsAttr getCounted(SizeOp size) {
  rgnn::GraphType graph = size.getGraph().getType();
  auto rows = [&](Domain domain) { return graph.getRows(domain); };
  switch (size.getKind()) {
  case SizeKind::Node:
    return rows(Domain::Node);
  case SizeKind::NodeOfType:
    return RowsAttr::get(size.getContext(), Domain::Node, graph.getSchema(),
                         size.getParam());
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
  /// Rows of a tensor; numbers and bytes of one of them; bytes of all.
  int64_t getNumRows(Value tensor);
  int64_t getRowNumbers(Value tensor);
  int64_t getRowBytes(Value tensor) {
    auto type = cast<ShapedType>(tensor.getType());
    return getRowNumbers(tensor) * type.getElementTypeBitWidth() / 8;
  }
  int64_t getBytes(Value tensor) {
    return getNumRows(tensor) * getRowBytes(tensor);
  }

  /// Notes that `bytes` of `buffer` are read, some perhaps several times.
  void read(Value buffer, int64_t bytes) { bytesOf[buffer] += bytes; }
  /// The same for one entry of a list of the graph for each of `rows` rows.
  void readList(Value list, int64_t rows) {
    if (list)
      read(list, rows * int64_t(sizeof(int32_t)));
  }
  /// What of `buffer` is there to be read; nullopt where that is not known.
  std::optional<int64_t> findSize(Value buffer);
  int64_t countOperations(Operation *op);

  Operation *kernel;
  const rgnn::GraphSizes &sizes;
  Traffic traffic;
  llvm::MapVector<Value, int64_t> bytesOf;
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
  return lookUp(op ? op.getGraph().getType().getRows(getElement(op.getKind()))
                   : RowsAttr());
}

int64_t Counter::getNumRows(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return type.getRank() == 0 ? 1 : type.getDimSize(0);
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return lookUp(function.getArgAttrOfType<RowsAttr>(argument.getArgNumber(),
                                                      rgnn::kRowsAttr));
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return getNumber(empty.getDynamicSizes().front());
  if (auto made = dyn_cast<DestinationStyleOpInterface>(op))
    return getNumRows(made.getTiedOpOperand(cast<OpResult>(tensor))->get());
  if (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                      tensor::CastOp, tensor::ExtractSliceOp>(op))
    return getNumRows(op->getOperand(0));
  return lookUp(RowsAttr());
}

int64_t Counter::getRowNumbers(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  ArrayRef<int64_t> row = type.getShape().drop_front(type.getRank() > 0);
  isKnown &= !ShapedType::isDynamicShape(row);
  return isKnown ? ShapedType::getNumElements(row) : 0;
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
  read(gemm.getX(), rows * getRowBytes(gemm.getX()));
  read(gemm.getWeight(), getBytes(gemm.getWeight()));
  if (gemm.getAccumulate())
    read(gemm.getOut(), written);
  if (Value scale = gemm.getScale()) {
    traffic.bytesRead += rows * getRowBytes(scale);
    read(scale, rows * getRowBytes(scale));
  }
  readList(gemm.getGather(), rows);
  readList(gemm.getScatter(), rows);
  traffic.bytesWritten = written;
  int64_t terms = cast<ShapedType>(gemm.getX().getType()).getShape().back();
  traffic.operations = 2 * rows * getRowNumbers(gemm.getOut()) * terms;
}

void Counter::countOuterSum(OuterSumOp sum) {
  int64_t rows = sum.getTiles()     ? getLength(sum.getTiles())
                 : sum.getYGather() ? getLength(sum.getYGather())
                                    : getNumRows(sum.getY());
  traffic.rows = rows;
  traffic.bytesRead = rows * getRowBytes(sum.getY());
  read(sum.getY(), traffic.bytesRead);
  readList(sum.getYGather(), rows);
  int64_t products = getRowNumbers(sum.getY());
  if (Value x = sum.getX()) {
    traffic.bytesRead += rows * getRowBytes(x);
    read(x, rows * getRowBytes(x));
    readList(sum.getXGather(), rows);
    products *= 2 * cast<ShapedType>(x.getType()).getShape().back();
  }
  traffic.bytesWritten = getBytes(sum.getOut());
  traffic.operations = rows * products;
}

void Counter::countConcat(ConcatOp concat) {
  traffic.rows = getNumRows(concat.getOut());
  traffic.bytesRead = traffic.bytesWritten = getBytes(concat.getOut());
  read(concat.getOut(), traffic.bytesRead);
}

/// What of it makes numbers: to compare, to choose and to convert makes none.
int64_t Counter::countOperations(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return 0;
  if (auto sum = dyn_cast<vector::MultiDimReductionOp>(op))
    return sum.getSourceVectorType().getNumElements();
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, CastOpInterface>(op))
    return 0;
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  return vector ? vector.getNumElements() : 1;
}

void Counter::countTraverse(TraverseOp traverse) {
  traffic.rows = getNumber(traverse.getRows());
  if (Value segments = traverse.getSegments()) {
    traffic.innerRows = getLength(segments);
    readList(segments, traffic.rows + 1);
  }
  traverse.getBody().walk([&](Operation *op) {
    int64_t times =
        isa<ForEachOp>(op->getParentOp()) ? traffic.innerRows : traffic.rows;
    traffic.operations += times * countOperations(op);
    if (auto lookup = dyn_cast<LookupOp>(op))
      readList(lookup.getView(), times);
    if (auto scatter = dyn_cast<ScatterOp>(op))
      for (Value list : scatter.getLists())
        readList(list, traffic.innerRows);
    auto row = dyn_cast<RowOp>(op);
    if (!row)
      return;
    if (row.getIndices().empty())
      times = 1;
    Type type = row.getResult().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        cast<ShapedType>(row.getSource().getType()).getElementTypeBitWidth();
    int64_t bytes = times * (vector ? vector.getNumElements() : 1) * bits / 8;
    traffic.bytesRead += bytes;
    read(row.getSource(), bytes);
  });
  Operation *yield = traverse.getBody().front().getTerminator();
  for (auto [value, out] : llvm::zip(yield->getOperands(), traverse.getOuts()))
    traffic.bytesWritten +=
        (isa<SegmentType>(value.getType()) ? traffic.innerRows : traffic.rows) *
        getRowBytes(out);
}

std::optional<int64_t> Counter::findSize(Value buffer) {
  bool wasKnown = std::exchange(isKnown, true);
  int64_t bytes = 0;
  if (auto view = buffer.getDefiningOp<ViewOp>())
    // Offsets have an entry for each group, which is as often as it is read.
    bytes = getForm(view.getKind()) == ViewForm::Offsets
                ? INT64_MAX
                : getLength(buffer) * int64_t(sizeof(int32_t));
  else
    bytes = getBytes(buffer);
  bool isFound = std::exchange(isKnown, wasKnown);
  return isFound ? std::optional(bytes) : std::nullopt;
}

FailureOr<Traffic> Counter::count() {
  llvm::TypeSwitch<Operation *>(kernel)
      .Case([&](GemmOp gemm) { countGemm(gemm); })
      .Case([&](OuterSumOp sum) { countOuterSum(sum); })
      .Case([&](ConcatOp concat) { countConcat(concat); })
      .Case([&](TraverseOp traverse) { countTraverse(traverse); });
  if (!isKnown)
    return kernel->emitOpError("expected sizes of a graph that are given");
  traffic.bytesNeeded = traffic.bytesWritten;
  for (auto [buffer, bytes] : bytesOf)
    traffic.bytesNeeded += std::min(bytes, findSize(buffer).value_or(bytes));
  return traffic;
}

FailureOr<Traffic> hetkernel::countTraffic(Operation *kernel,
                                           const rgnn::GraphSizes &sizes) {
  return Counter(kernel, sizes).count();
}
