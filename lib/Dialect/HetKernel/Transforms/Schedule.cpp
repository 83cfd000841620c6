//===- Schedule.cpp - fields of schedules, and what kernels allow ---------===//

#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

bool parseValue(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value);
}
bool parseValue(StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}
template <typename Enum>
bool parseValue(StringRef text, Enum &value) {
  std::optional<Enum> known = symbolizeEnum<Enum>(text);
  value = known.value_or(value);
  return known.has_value();
}

/// What parseValue takes.
StringRef describeValue(int64_t) { return "an integer"; }
StringRef describeValue(bool) { return "true or false"; }
StringRef describeValue(RowScale) { return "store or load"; }
StringRef describeValue(Mapping) { return "vertex or edge"; }

/// Values given by name. Each field takes its own; what is left is unknown.
class Assignments {
public:
  Assignments(ArrayRef<std::string> fields) {
    for (StringRef field : fields) {
      auto [name, value] = field.split(':');
      given[name] = value;
    }
  }

  template <typename T>
  void take(StringRef name, T &value) {
    names.push_back(name);
    auto *field = given.find(name);
    if (field == given.end())
      return;
    if (!parseValue(field->second, value))
      wrong = (describeValue(value) + " as " + name + ", got '" +
               field->second + "'")
                  .str();
    given.erase(field);
  }

  LogicalResult finish(function_ref<InFlightDiagnostic()> emitError,
                       StringRef kernel) {
    if (!wrong.empty())
      return emitError() << "expected " << wrong;
    if (!given.empty())
      return emitError() << "expected fields of a " << kernel << " schedule ("
                         << llvm::join(names, ", ") << "), got '"
                         << given.front().first << "'";
    return success();
  }

private:
  llvm::MapVector<StringRef, StringRef> given;
  std::string wrong;
  SmallVector<StringRef> names;
};

} // namespace

FailureOr<GemmScheduleAttr>
hetkernel::setFields(GemmScheduleAttr schedule, ArrayRef<std::string> fields,
                     function_ref<InFlightDiagnostic()> emitError) {
  int64_t tileRows = schedule.getTileRows(),
          blockRows = schedule.getBlockRows(),
          blockVectors = schedule.getBlockVectors(),
          vectorWidth = schedule.getVectorWidth(),
          coarsening = schedule.getCoarsening(),
          threads = schedule.getThreads();
  RowScale scale = schedule.getScale();
  Assignments assignments(fields);
  assignments.take("tile_rows", tileRows);
  assignments.take("block_rows", blockRows);
  assignments.take("block_vectors", blockVectors);
  assignments.take("vector_width", vectorWidth);
  assignments.take("coarsening", coarsening);
  assignments.take("scale", scale);
  assignments.take("threads", threads);
  if (failed(assignments.finish(emitError, "gemm")))
    return failure();
  auto changed = GemmScheduleAttr::getChecked(
      emitError, schedule.getContext(), tileRows, blockRows, blockVectors,
      vectorWidth, coarsening, scale, threads);
  if (!changed)
    return failure();
  return changed;
}

FailureOr<TraverseScheduleAttr>
hetkernel::setFields(TraverseScheduleAttr schedule,
                     ArrayRef<std::string> fields,
                     function_ref<InFlightDiagnostic()> emitError) {
  int64_t taskRows = schedule.getTaskRows(),
          coarsening = schedule.getCoarsening(),
          prefetch = schedule.getPrefetch(), threads = schedule.getThreads(),
          blockAbove = schedule.getBlockAbove();
  Mapping mapping = schedule.getMapping();
  bool hoisting = schedule.getHoisting(),
       partialAggregation = schedule.getPartialAggregation();
  Assignments assignments(fields);
  assignments.take("task_rows", taskRows);
  assignments.take("mapping", mapping);
  assignments.take("coarsening", coarsening);
  assignments.take("hoisting", hoisting);
  assignments.take("partial_aggregation", partialAggregation);
  assignments.take("prefetch", prefetch);
  assignments.take("threads", threads);
  assignments.take("block_above", blockAbove);
  if (failed(assignments.finish(emitError, "traverse")))
    return failure();
  auto changed = TraverseScheduleAttr::getChecked(
      emitError, schedule.getContext(), taskRows, mapping, coarsening, hoisting,
      partialAggregation, prefetch, threads, blockAbove);
  if (!changed)
    return failure();
  return changed;
}
