//===- DiscardableAttributes.h - attributes on others' ops ------*- C++ -*-===//
//
// A dialect lists the attributes that it puts on functions and ops of other
// dialects in a file DiscardableAttributes.def, and verifies them by that list:
// a misspelled one is an error instead of being ignored.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_SUPPORT_DISCARDABLEATTRIBUTES_H
#define RGNN_SUPPORT_DISCARDABLEATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace mlir::rgnn {

/// Where an attribute may stand.
enum class Bearer : unsigned {
  Argument = 1,  // of a function
  Result = 2,    // of a function
  Operation = 4, // functions and modules, too
};
constexpr unsigned operator|(Bearer a, Bearer b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}

struct DiscardableAttribute {
  StringRef name;
  unsigned bearers;
  StringRef type; // as in a message
  bool (*isOfType)(Attribute);
};

/// Checks an attribute of `bearer`, which `op` is or has, by the list of its
/// dialect.
LogicalResult verifyDiscardable(ArrayRef<DiscardableAttribute> known,
                                Operation *op, Bearer bearer,
                                NamedAttribute attribute);

} // namespace mlir::rgnn

#endif // RGNN_SUPPORT_DISCARDABLEATTRIBUTES_H
