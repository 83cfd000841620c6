//===- Inputs.cpp - the tensors that a function gets ----------------------===//

#include "Manifest.h"

#include "RGNN/Dialect/HetKernel/Utils/Sizes.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::hetkernel;
namespace json = llvm::json;

std::string hetkernel::getDTypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1
               ? "bool"
               : llvm::formatv("int{0}", integer.getWidth()).str();
  if (type.isBF16())
    return "bfloat16";
  return llvm::formatv("float{0}", type.getIntOrFloatBitWidth()).str();
}

json::Value hetkernel::describeRows(rgnn::RowsAttr rows,
                                    ArrayRef<FlatSymbolRefAttr> schemas) {
  for (auto [index, schema] : llvm::enumerate(schemas))
    if (schema == rows.getGraph()) {
      if (rows.getType() >= 0)
        return json::Object{{"graph", static_cast<int64_t>(index)},
                            {"of", stringifySizeKind(SizeKind::NodeOfType)},
                            {"param", rows.getType()}};
      json::Object size{
          {"graph", static_cast<int64_t>(index)},
          {"of", stringifySizeKind(getSizeKind(rows.getDomain()))}};
      if (rows.getPart() != rgnn::Part::Whole)
        size["part"] = stringifyPart(rows.getPart());
      return size;
    }
  return -1;
}

json::Array hetkernel::replaceInputs(func::FuncOp function,
                                     ArrayRef<FlatSymbolRefAttr> schemas) {
  // Sizes and casts of arguments may be all that is left of what made a graph.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  json::Array inputs;
  BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (isRequest(function, number) ||
        function.getArgAttr(number, rgnn::kMadeOnceAttr))
      continue;
    if (isa<rgnn::GraphType>(argument.getType())) {
      unused[number] = argument.use_empty();
      continue;
    }
    auto name = function.getArgAttrOfType<StringAttr>(number, rgnn::kInputAttr);
    if (!name)
      name = function.getArgAttrOfType<StringAttr>(number, rgnn::kParamAttr);
    auto type = cast<RankedTensorType>(argument.getType());
    json::Array shape;
    for (int64_t size : type.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    if (auto rows =
            function.getArgAttrOfType<rgnn::RowsAttr>(number, rgnn::kRowsAttr))
      shape[0] = describeRows(rows, schemas);
    json::Object input{{"name", name ? name.getValue() : StringRef()},
                       {"dtype", getDTypeName(type.getElementType())},
                       {"shape", std::move(shape)}};
    if (auto more =
            function.getArgAttrOfType<ArrayAttr>(number, rgnn::kMoreRowsAttr)) {
      json::Array also;
      for (auto rows : more.getAsRange<rgnn::RowsAttr>())
        also.push_back(describeRows(rows, schemas));
      input["more_rows"] = std::move(also);
    }
    if (argument.use_empty()) {
      unused.set(number);
      input["used"] = false;
    }
    inputs.push_back(std::move(input));
  }
  (void)function.eraseArguments(unused);
  return inputs;
}
