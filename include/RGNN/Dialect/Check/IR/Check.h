//===- Check.h - the check dialect, for tests only --------------*- C++ -*-===//

#ifndef RGNN_DIALECT_CHECK_IR_CHECK_H
#define RGNN_DIALECT_CHECK_IR_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "RGNN/Dialect/Check/IR/CheckDialect.h.inc"

#define GET_OP_CLASSES
#include "RGNN/Dialect/Check/IR/CheckOps.h.inc"

#endif // RGNN_DIALECT_CHECK_IR_CHECK_H
