//===- RGNNDialect.cpp - registration, domains and encodings --------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;

#include "RGNN/Dialect/RGNN/IR/RGNNDialect.cpp.inc"
#include "RGNN/Dialect/RGNN/IR/RGNNEnums.cpp.inc"
#include "RGNN/Dialect/RGNN/IR/RGNNInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "RGNN/Dialect/RGNN/IR/RGNNTypes.cpp.inc"

namespace {

/// What bytecode says of the dialect: its version. Attributes and types are in
/// it as text, and operations as bytecode has all operations.
struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  /// Grows when bytecode of the version before is no longer read, or would be
  /// read as something else.
  static constexpr uint64_t kVersion = 1;

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version > kVersion) {
      reader.emitError() << "expected at most version " << kVersion
                         << " of the dialect rgnn, got version " << version
                         << ", which a newer RGNN reads";
      return nullptr;
    }
    // No version needs an upgrade, which is all that would ask for its number.
    return std::make_unique<DialectVersion>();
  }
};

} // namespace

void RGNNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "RGNN/Dialect/RGNN/IR/RGNNOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "RGNN/Dialect/RGNN/IR/RGNNAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "RGNN/Dialect/RGNN/IR/RGNNTypes.cpp.inc"
      >();
  addInterfaces<BytecodeInterface>();
  attachScalarGradients(*getContext());
}

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

double rgnn::getNeutral(Reduction kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return 0;
  case Reduction::Max:
    return -infinity;
  case Reduction::Min:
    return infinity;
  case Reduction::Mul:
    return 1;
  }
  llvm_unreachable("all reductions are handled");
}

std::optional<Domain> rgnn::follow(Domain from, Path path) {
  bool isPair = from == Domain::SrcPair || from == Domain::DstPair;
  switch (path) {
  case Path::Src:
    if (from == Domain::Edge || from == Domain::SrcPair)
      return Domain::Node;
    return std::nullopt;
  case Path::Dst:
    if (from == Domain::Edge || from == Domain::DstPair)
      return Domain::Node;
    return std::nullopt;
  case Path::SrcPair:
    return from == Domain::Edge ? std::optional(Domain::SrcPair) : std::nullopt;
  case Path::DstPair:
    return from == Domain::Edge ? std::optional(Domain::DstPair) : std::nullopt;
  case Path::EType:
    return from == Domain::Edge || isPair ? std::optional(Domain::EType)
                                          : std::nullopt;
  case Path::NType:
    return from == Domain::Node ? std::optional(Domain::NType) : std::nullopt;
  case Path::Whole:
    return from == Domain::Edge ? std::optional(Domain::Edge) : std::nullopt;
  }
  llvm_unreachable("all paths are handled");
}

bool rgnn::isOfEdges(Domain domain) {
  return domain == Domain::Edge || domain == Domain::SrcPair ||
         domain == Domain::DstPair;
}

RowsAttr RowsAttr::on(Domain domain) const {
  return get(getContext(), domain, getGraph(),
             isOfEdges(domain) ? getPart() : Part::Whole, /*type=*/-1);
}

RowsAttr rgnn::GraphType::getRows(Path path, Domain from) const {
  Domain to = *follow(from, path);
  if (path == Path::Whole)
    return RowsAttr::get(getContext(), to, getSchema());
  if (to == Domain::Node && isBipartite())
    return RowsAttr::get(getContext(), to, getSchema(),
                         path == Path::Src ? kSrcNodes : kDstNodes);
  return getRows(to);
}

RowsAttr rgnn::GraphType::getRows(Domain domain) const {
  return RowsAttr::get(getContext(), domain, getSchema(),
                       isOfEdges(domain) ? getPart() : Part::Whole,
                       /*type=*/-1);
}

bool rgnn::GraphType::has(RowsAttr rows) const {
  bool isOfAllNodes = rows.getDomain() == Domain::Node && rows.getType() < 0;
  return rows.getGraph() == getSchema() && !(isBipartite() && isOfAllNodes) &&
         (!isOfEdges(rows.getDomain()) || rows.getPart() == getPart());
}

RowsAttr rgnn::getRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<RowsAttr>(tensor.getEncoding())
                : RowsAttr();
}

ArrayRef<int64_t> rgnn::getRowShape(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return getRows(type) ? shape.drop_front() : shape;
}

int64_t rgnn::getRowWidth(Type type) {
  return ShapedType::getNumElements(getRowShape(type));
}

RankedTensorType rgnn::getRowsType(RowsAttr rows, ArrayRef<int64_t> rowShape,
                                   Type elementType) {
  if (!rows)
    return RankedTensorType::get(rowShape, elementType);
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, rowShape);
  return RankedTensorType::get(shape, elementType, rows);
}

Value rgnn::cloneOnto(OpBuilder &builder, Operation *op,
                      const IRMapping &operands, Type type) {
  IRMapping mapping(operands);
  Value result = builder.clone(*op, mapping)->getResult(0);
  result.setType(type);
  return result;
}

Type rgnn::getRowValueType(ArrayRef<int64_t> rowShape, Type elementType) {
  return rowShape.empty() ? elementType
                          : VectorType::get(rowShape, elementType);
}

Type rgnn::getComputeType(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() >= 32)
    return type;
  Type wide = Float32Type::get(type.getContext());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(wide) : wide;
}

std::optional<int64_t>
rgnn::getNumTypes(Operation *from, FlatSymbolRefAttr schema, Domain domain) {
  auto op = SymbolTable::lookupNearestSymbolFrom<SchemaOp>(from, schema);
  if (!op)
    return std::nullopt;
  return domain == Domain::EType   ? op.getEdgeTypes()
         : domain == Domain::NType ? op.getNodeTypes()
                                   : std::nullopt;
}

FailureOr<Value> rgnn::findGraph(Operation *op, RowsAttr rows) {
  Value found;
  auto consider = [&](Value value) -> LogicalResult {
    auto type = dyn_cast<rgnn::GraphType>(value.getType());
    if (!type || type.getSchema() != rows.getGraph() ||
        type.getPart() != rows.getPart())
      return success();
    if (found)
      return op->emitOpError()
             << "expected one " << type << " in the function, got several";
    found = value;
    return success();
  };
  Block *block = op->getBlock();
  for (BlockArgument argument : block->getArguments())
    if (failed(consider(argument)))
      return failure();
  for (Operation &other : *block)
    for (Value result : other.getResults())
      if (failed(consider(result)))
        return failure();
  if (!found)
    return op->emitOpError()
           << "expected a graph of "
           << (rows.getPart() == Part::Whole
                   ? ""
                   : ("part " + stringifyPart(rows.getPart()) + " of ").str())
           << rows.getGraph() << " in the function, got none";
  return found;
}

std::optional<KernelForm> rgnn::getKernelForm(Operation *op) {
  auto compute = dyn_cast_or_null<ComputeOpInterface>(op);
  return compute ? std::optional(compute.getKernelForm()) : std::nullopt;
}

std::optional<Work> rgnn::getWork(Operation *op) {
  auto compute = dyn_cast_or_null<ComputeOpInterface>(op);
  return compute ? std::optional(compute.getWork()) : std::nullopt;
}

bool rgnn::isRowwise(Operation *op) {
  std::optional<KernelForm> form = getKernelForm(op);
  return form == KernelForm::Row || form == KernelForm::Product;
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

LogicalResult RowsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Domain domain, FlatSymbolRefAttr graph,
                               Part part, int64_t type) {
  if (part != Part::Whole && !isOfEdges(domain))
    return emitError() << "expected edges, or pairs, of a part of a graph, got "
                       << stringifyDomain(domain);
  if (type >= 0 && domain != Domain::Node)
    return emitError() << "expected a type on domain node only, got type "
                       << type << " on domain " << stringifyDomain(domain);
  if (type < -1)
    return emitError() << "expected a node type of at least 0, got " << type;
  return success();
}

LogicalResult
RowsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.empty())
    return emitError()
           << "expected rows in the first dimension, got a tensor of rank 0";
  bool perType = getDomain() == Domain::EType || getDomain() == Domain::NType;
  if (!perType && !ShapedType::isDynamic(shape[0]))
    return emitError() << "expected a dynamic number of rows on domain "
                       << stringifyDomain(getDomain()) << ", got " << shape[0];
  for (int64_t size : shape.drop_front())
    if (ShapedType::isDynamic(size))
      return emitError()
             << "expected static sizes after the rows, got a dynamic one";
  return success();
}
