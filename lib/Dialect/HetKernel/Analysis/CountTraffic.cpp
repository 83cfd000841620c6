//===- CountTraffic.cpp - what kernels do on a graph of given sizes -------===//

#include "RGNN/Dialect/HetKernel/Analysis/Traffic.h"

using namespace mlir;
using namespace mlir::hetkernel;

FailureOr<Traffic> hetkernel::countTraffic(Operation *kernel,
                                           const rgnn::GraphSizes &sizes) {
  auto fail = [&]() -> FailureOr<Traffic> {
    return kernel->emitOpError("expected sizes of a graph that are given");
  };
  FailureOr<TrafficForms> forms = getTraffic(kernel);
  if (failed(forms))
    return fail();
  SmallVector<std::optional<int64_t>> numbers;
  for (const Size &size : forms->sizes)
    numbers.push_back(size.rows ? sizes.getNumRows(kernel, size.rows)
                                : std::nullopt);
  auto evaluate = [&](AffineExpr form) -> std::optional<int64_t> {
    SmallVector<AffineExpr> symbols;
    for (auto [position, number] : llvm::enumerate(numbers)) {
      if (!number && form.isFunctionOfSymbol(position))
        return std::nullopt;
      symbols.push_back(
          getAffineConstantExpr(number.value_or(0), kernel->getContext()));
    }
    return cast<AffineConstantExpr>(form.replaceSymbols(symbols)).getValue();
  };
  Traffic traffic;
  for (auto [form, number] : {std::pair(forms->rows, &traffic.rows),
                              {forms->innerRows, &traffic.innerRows},
                              {forms->bytesRead, &traffic.bytesRead},
                              {forms->bytesWritten, &traffic.bytesWritten},
                              {forms->operations, &traffic.operations}}) {
    std::optional<int64_t> known = evaluate(form);
    if (!known)
      return fail();
    *number = *known;
  }
  traffic.bytesNeeded = traffic.bytesWritten;
  for (auto [read, there] : forms->buffers) {
    std::optional<int64_t> bytes = evaluate(read);
    if (!bytes)
      return fail();
    traffic.bytesNeeded += std::min(*bytes, evaluate(there).value_or(*bytes));
  }
  return traffic;
}
