//===- Schedule.cpp - fields of schedules, and what kernels allow ---------===//

#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

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
                       StringRef schedule) {
    if (!wrong.empty())
      return emitError() << "expected " << wrong;
    if (!given.empty())
      return emitError() << "expected fields of a " << schedule << " ("
                         << llvm::join(names, ", ") << "), got '"
                         << given.front().first << "'";
    return success();
  }

private:
  llvm::MapVector<StringRef, StringRef> given;
  std::string wrong;
  SmallVector<StringRef> names;
};

/// Failure for null, of which an error was reported.
template <typename Interface, typename ScheduleAttr>
FailureOr<Interface> toFailure(ScheduleAttr schedule) {
  if (!schedule)
    return failure();
  return Interface(schedule);
}

} // namespace

/// `schedule` with the values that `assignments` has for it, in its order.
static FailureOr<GemmScheduleInterface>
setFields(CPUGemmScheduleAttr schedule, Assignments &assignments,
          function_ref<InFlightDiagnostic()> emitError) {
  int64_t tileRows = schedule.getTileRows(),
          blockRows = schedule.getBlockRows(),
          blockVectors = schedule.getBlockVectors(),
          vectorWidth = schedule.getVectorWidth(),
          coarsening = schedule.getCoarsening();
  RowScale scale = schedule.getScale();
  assignments.take("tile_rows", tileRows);
  assignments.take("block_rows", blockRows);
  assignments.take("block_vectors", blockVectors);
  assignments.take("vector_width", vectorWidth);
  assignments.take("coarsening", coarsening);
  assignments.take("scale", scale);
  if (failed(assignments.finish(emitError, "gemm schedule for processors")))
    return failure();
  return toFailure<GemmScheduleInterface>(CPUGemmScheduleAttr::getChecked(
      emitError, schedule.getContext(), tileRows, blockRows, blockVectors,
      vectorWidth, coarsening, scale));
}

static FailureOr<GemmScheduleInterface>
setFields(GPUGemmScheduleAttr schedule, Assignments &assignments,
          function_ref<InFlightDiagnostic()> emitError) {
  int64_t tileRows = schedule.getTileRows(),
          blockRows = schedule.getBlockRows(),
          blockColumns = schedule.getBlockColumns(),
          lanes = schedule.getLanes(), coarsening = schedule.getCoarsening(),
          threads = schedule.getThreads();
  RowScale scale = schedule.getScale();
  assignments.take("tile_rows", tileRows);
  assignments.take("block_rows", blockRows);
  assignments.take("block_columns", blockColumns);
  assignments.take("lanes", lanes);
  assignments.take("coarsening", coarsening);
  assignments.take("scale", scale);
  assignments.take("threads", threads);
  if (failed(assignments.finish(emitError, "gemm schedule for GPUs")))
    return failure();
  return toFailure<GemmScheduleInterface>(GPUGemmScheduleAttr::getChecked(
      emitError, schedule.getContext(), tileRows, blockRows, blockColumns,
      lanes, coarsening, scale, threads));
}

static FailureOr<TraverseScheduleInterface>
setFields(CPUTraverseScheduleAttr schedule, Assignments &assignments,
          function_ref<InFlightDiagnostic()> emitError) {
  int64_t taskRows = schedule.getTaskRows(),
          coarsening = schedule.getCoarsening(),
          prefetch = schedule.getPrefetch();
  Mapping mapping = schedule.getMapping();
  bool hoisting = schedule.getHoisting(),
       partialAggregation = schedule.getPartialAggregation();
  assignments.take("task_rows", taskRows);
  assignments.take("mapping", mapping);
  assignments.take("coarsening", coarsening);
  assignments.take("hoisting", hoisting);
  assignments.take("partial_aggregation", partialAggregation);
  assignments.take("prefetch", prefetch);
  if (failed(assignments.finish(emitError, "traverse schedule for processors")))
    return failure();
  return toFailure<TraverseScheduleInterface>(
      CPUTraverseScheduleAttr::getChecked(
          emitError, schedule.getContext(), taskRows, mapping, coarsening,
          hoisting, partialAggregation, prefetch));
}

static FailureOr<TraverseScheduleInterface>
setFields(GPUTraverseScheduleAttr schedule, Assignments &assignments,
          function_ref<InFlightDiagnostic()> emitError) {
  int64_t coarsening = schedule.getCoarsening(),
          threads = schedule.getThreads(),
          blockAbove = schedule.getBlockAbove();
  bool hoisting = schedule.getHoisting(),
       partialAggregation = schedule.getPartialAggregation();
  assignments.take("coarsening", coarsening);
  assignments.take("hoisting", hoisting);
  assignments.take("partial_aggregation", partialAggregation);
  assignments.take("threads", threads);
  assignments.take("block_above", blockAbove);
  if (failed(assignments.finish(emitError, "traverse schedule for GPUs")))
    return failure();
  return toFailure<TraverseScheduleInterface>(
      GPUTraverseScheduleAttr::getChecked(
          emitError, schedule.getContext(), coarsening, hoisting,
          partialAggregation, threads, blockAbove));
}

FailureOr<GemmScheduleInterface>
hetkernel::setFields(GemmScheduleInterface schedule,
                     ArrayRef<std::string> fields,
                     function_ref<InFlightDiagnostic()> emitError) {
  Assignments assignments(fields);
  return llvm::TypeSwitch<Attribute, FailureOr<GemmScheduleInterface>>(schedule)
      .Case<CPUGemmScheduleAttr, GPUGemmScheduleAttr>([&](auto target) {
        return ::setFields(target, assignments, emitError);
      });
}

FailureOr<TraverseScheduleInterface>
hetkernel::setFields(TraverseScheduleInterface schedule,
                     ArrayRef<std::string> fields,
                     function_ref<InFlightDiagnostic()> emitError) {
  Assignments assignments(fields);
  return llvm::TypeSwitch<Attribute, FailureOr<TraverseScheduleInterface>>(
             schedule)
      .Case<CPUTraverseScheduleAttr, GPUTraverseScheduleAttr>([&](auto target) {
        return ::setFields(target, assignments, emitError);
      });
}
