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
#include "mlir/IR/Matchers.h"
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
  explicit Counter(Operation *kernel)
      : kernel(kernel), zero(getConstant(0)),
        traffic{{}, zero, zero, zero, zero, zero, {}} {}

  FailureOr<TrafficForms> count();

private:
  void countGemm(GemmOp gemm);
  void countOuterSum(OuterSumOp sum);
  void countConcat(ConcatOp concat);
  void countRank(RankOp rank);
  void countTraverse(TraverseOp traverse);

  AffineExpr getConstant(int64_t number) {
    return getAffineConstantExpr(number, kernel->getContext());
  }
  AffineExpr getSymbol(const Size &size);
  /// Numbers of rows; 0 and `isKnown` false where they are not known.
  AffineExpr lookUp(RowsAttr rows);
  AffineExpr getNumber(Value index);
  AffineExpr getLength(Value view);
  /// Rows of a tensor; numbers and bytes of one of them; bytes of all.
  AffineExpr getNumRows(Value tensor);
  int64_t getRowNumbers(Value tensor);
  int64_t getRowBytes(Value tensor) {
    auto type = cast<ShapedType>(tensor.getType());
    return getRowNumbers(tensor) * type.getElementTypeBitWidth() / 8;
  }
  AffineExpr getBytes(Value tensor) {
    return getNumRows(tensor) * getRowBytes(tensor);
  }

  /// Notes that `bytes` of `buffer` are read, some perhaps several times.
  void read(Value buffer, AffineExpr bytes) {
    AffineExpr &all = bytesOf[buffer];
    all = all ? all + bytes : bytes;
  }
  /// The same for one entry of a list of the graph for each of `rows` rows.
  void readList(Value list, AffineExpr rows) {
    if (list)
      read(list, rows * int64_t(sizeof(int32_t)));
  }
  /// What of `buffer` is there to be read; null where that is not known.
  AffineExpr findSize(Value buffer);
  int64_t countOperations(Operation *op);

  Operation *kernel;
  AffineExpr zero;
  TrafficForms traffic;
  llvm::MapVector<Value, AffineExpr> bytesOf;
  bool isKnown = true;
};

} // namespace

AffineExpr Counter::getSymbol(const Size &size) {
  SmallVector<Size> &sizes = traffic.sizes;
  unsigned position = llvm::find(sizes, size) - sizes.begin();
  if (position == sizes.size())
    sizes.push_back(size);
  return getAffineSymbolExpr(position, kernel->getContext());
}

AffineExpr Counter::lookUp(RowsAttr rows) {
  isKnown &= rows != nullptr;
  return rows ? getSymbol({rows}) : zero;
}

AffineExpr Counter::getNumber(Value index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return getConstant(*number);
  auto size = index.getDefiningOp<SizeOp>();
  if (auto dim = index.getDefiningOp<tensor::DimOp>();
      dim && dim.getConstantIndex() == 0)
    return getNumRows(dim.getSource());
  return lookUp(size ? getCounted(size) : RowsAttr());
}

static bool isView(Value list) {
  return list && !matchPattern(list, m_Constant());
}

AffineExpr Counter::getLength(Value view) {
  auto op = view.getDefiningOp<ViewOp>();
  return lookUp(op ? op.getGraph().getType().getRows(getElement(op.getKind()))
                   : RowsAttr());
}

AffineExpr Counter::getNumRows(Value tensor) {
  auto type = cast<ShapedType>(tensor.getType());
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return getConstant(type.getRank() == 0 ? 1 : type.getDimSize(0));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    auto rows = function.getArgAttrOfType<RowsAttr>(number, rgnn::kRowsAttr);
    return getSymbol(rows ? Size{rows} : Size{RowsAttr(), number});
  }
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return getNumber(empty.getDynamicSizes().front());
  if (auto made = dyn_cast<DestinationStyleOpInterface>(op))
    return getNumRows(made.getTiedOpOperand(cast<OpResult>(tensor))->get());
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return getNumber(cast<Value>(expand.getMixedOutputShape()[0]));
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    if (auto size = dyn_cast<Value>(slice.getMixedSizes()[0]);
        size && size.getDefiningOp<SizeOp>())
      return getNumber(size);
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::CastOp,
                      tensor::ExtractSliceOp>(op))
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
  // Tiles of weights are constants.
  AffineExpr rows = isView(gemm.getTiles())    ? getLength(gemm.getTiles())
                    : isView(gemm.getGather()) ? getLength(gemm.getGather())
                                               : getNumRows(gemm.getX());
  AffineExpr written = rows * getRowBytes(gemm.getOut());
  traffic.rows = rows;
  traffic.bytesRead = rows * getRowBytes(gemm.getX()) +
                      getBytes(gemm.getWeight()) +
                      (gemm.getAccumulate() ? written : zero);
  read(gemm.getX(), rows * getRowBytes(gemm.getX()));
  read(gemm.getWeight(), getBytes(gemm.getWeight()));
  if (gemm.getAccumulate())
    read(gemm.getOut(), written);
  if (Value scale = gemm.getScale()) {
    traffic.bytesRead = traffic.bytesRead + rows * getRowBytes(scale);
    read(scale, rows * getRowBytes(scale));
  }
  readList(gemm.getGather(), rows);
  readList(gemm.getScatter(), rows);
  traffic.bytesWritten = written;
  int64_t terms = cast<ShapedType>(gemm.getX().getType()).getShape().back();
  traffic.operations = rows * (2 * getRowNumbers(gemm.getOut()) * terms);
}

void Counter::countOuterSum(OuterSumOp sum) {
  AffineExpr rows = isView(sum.getTiles())     ? getLength(sum.getTiles())
                    : isView(sum.getYGather()) ? getLength(sum.getYGather())
                                               : getNumRows(sum.getY());
  traffic.rows = rows;
  traffic.bytesRead = rows * getRowBytes(sum.getY());
  read(sum.getY(), traffic.bytesRead);
  readList(sum.getYGather(), rows);
  int64_t products = getRowNumbers(sum.getY());
  if (Value x = sum.getX()) {
    traffic.bytesRead = traffic.bytesRead + rows * getRowBytes(x);
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

/// Sorting has no known number of steps: each number is counted as read once.
void Counter::countRank(RankOp rank) {
  traffic.rows = getNumRows(rank.getOut());
  traffic.bytesWritten = getBytes(rank.getOut());
  for (Value rows : {rank.getX(), rank.getY(), rank.getValues()}) {
    if (!rows)
      continue;
    AffineExpr bytes = traffic.rows * getRowBytes(rows);
    traffic.bytesRead = traffic.bytesRead + bytes;
    read(rows, bytes);
  }
  readList(rank.getList(), traffic.rows);
  readList(rank.getSegments(), getLength(rank.getSegments()));
  traffic.operations = traffic.rows * getRowNumbers(rank.getOut());
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
    AffineExpr times =
        isa<ForEachOp>(op->getParentOp()) ? traffic.innerRows : traffic.rows;
    traffic.operations = traffic.operations + times * countOperations(op);
    if (auto lookup = dyn_cast<LookupOp>(op))
      readList(lookup.getView(), times);
    if (auto scatter = dyn_cast<ScatterOp>(op))
      for (Value list : scatter.getLists())
        readList(list, traffic.innerRows);
    auto row = dyn_cast<RowOp>(op);
    if (!row)
      return;
    if (row.getIndices().empty())
      times = getConstant(1);
    Type type = row.getResult().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        cast<ShapedType>(row.getSource().getType()).getElementTypeBitWidth();
    AffineExpr bytes =
        times * ((vector ? vector.getNumElements() : 1) * bits / 8);
    traffic.bytesRead = traffic.bytesRead + bytes;
    read(row.getSource(), bytes);
  });
  Operation *yield = traverse.getBody().front().getTerminator();
  for (auto [value, out] : llvm::zip(yield->getOperands(), traverse.getOuts()))
    traffic.bytesWritten =
        traffic.bytesWritten +
        (isa<SegmentType>(value.getType()) ? traffic.innerRows : traffic.rows) *
            getRowBytes(out);
}

AffineExpr Counter::findSize(Value buffer) {
  bool wasKnown = std::exchange(isKnown, true);
  AffineExpr bytes;
  // Offsets have an entry for each group, which is as often as it is read.
  if (auto view = buffer.getDefiningOp<ViewOp>())
    bytes = getForm(view.getKind()) == ViewForm::Offsets
                ? AffineExpr()
                : getLength(buffer) * int64_t(sizeof(int32_t));
  else
    bytes = getBytes(buffer);
  return std::exchange(isKnown, wasKnown) ? bytes : AffineExpr();
}

FailureOr<TrafficForms> Counter::count() {
  llvm::TypeSwitch<Operation *>(kernel)
      .Case([&](GemmOp gemm) { countGemm(gemm); })
      .Case([&](OuterSumOp sum) { countOuterSum(sum); })
      .Case([&](ConcatOp concat) { countConcat(concat); })
      .Case([&](RankOp rank) { countRank(rank); })
      .Case([&](TraverseOp traverse) { countTraverse(traverse); });
  if (!isKnown)
    return failure();
  for (auto [buffer, bytes] : bytesOf) {
    AffineExpr size = findSize(buffer);
    traffic.buffers.push_back({bytes, size ? size : bytes});
  }
  return std::move(traffic);
}

FailureOr<TrafficForms> hetkernel::getTraffic(Operation *kernel) {
  return Counter(kernel).count();
}
