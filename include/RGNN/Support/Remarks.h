//===- Remarks.h - what passes say of a function ----------------*- C++ -*-===//
//
// A rewrite states what it rests on in a function that returns a Refusal, and
// reports through PassRemarks what it did, what it refused and how often.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_SUPPORT_REMARKS_H
#define RGNN_SUPPORT_REMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <type_traits>

namespace mlir::rgnn {

/// Why something is not done, in words that complete "it is not done: ...".
/// False where nothing stands against it.
class [[nodiscard]] Refusal {
public:
  Refusal() = default;
  template <typename Reason,
            typename = std::enable_if_t<std::is_convertible_v<Reason, Twine>>>
  Refusal(const Reason &reason) : reason(Twine(reason).str()) {}

  explicit operator bool() const { return !reason.empty(); }
  StringRef getReason() const { return reason; }

private:
  std::string reason;
};

struct Count {
  StringRef name; // as in the pass's description: "num-gemms"
  int64_t value;
};

/// The remarks of one pass about one function. `pass` is the pass's argument,
/// and `name` the name of its remarks.
class PassRemarks {
public:
  PassRemarks(func::FuncOp function, StringRef pass, StringRef name)
      : function(function), pass(pass), name(name) {}

  /// A rewrite was made.
  void passed(Location loc, const Twine &what) const;
  /// A rewrite was refused: "`what`: the reason".
  void missed(Location loc, const Twine &what, const Refusal &refusal) const;
  /// What was found, whether it is rewritten or not.
  void analysis(Location loc, const Twine &what) const;

private:
  func::FuncOp function;
  StringRef pass, name;
};

/// Emits one remark `Counts` with what `pass` counted in `function`; none where
/// all counts are 0. Statistics of MLIR would be empty: builds of LLVM without
/// LLVM_ENABLE_STATS, such as Debian's, neither name nor print them.
void reportCounts(func::FuncOp function, StringRef pass,
                  ArrayRef<Count> counts);

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_REMARKS_H
