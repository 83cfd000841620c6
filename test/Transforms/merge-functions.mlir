// RUN: rgnn-opt %s --rgnn-merge-functions | FileCheck %s
// RUN: rgnn-opt %s --rgnn-merge-functions -o /dev/null --remarks-filter-analyse=rgnn-merge-functions 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNTS

!f = (i64) -> i64

// Names and places are no part of what a function does; a constant is, and so is
// a mark of an argument. What others see stays, and declarations do.

// COUNTS: Function=a | num-merged=1
// COUNTS-NOT: num-merged

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-2: constant @a :
// CHECK: constant @other
// CHECK: constant @marked
// CHECK: call @a
func.func @forward(%x: i64) -> (!f, !f, !f, !f, i64) {
  %0 = func.constant @a : !f
  %1 = func.constant @b : !f
  %2 = func.constant @other : !f
  %3 = func.constant @marked : !f
  %4 = func.call @b(%x) : !f
  func.return %0, %1, %2, %3, %4 : !f, !f, !f, !f, i64
}

// CHECK: func.func private @a
func.func private @a(%i: i64) -> i64 {
  %c = arith.constant 1 : i64
  %0 = arith.addi %i, %c : i64
  func.return %0 : i64
}

// CHECK-NOT: @b(
func.func private @b(%j: i64) -> i64 {
  %one = arith.constant 1 : i64
  %sum = arith.addi %j, %one : i64
  func.return %sum : i64
}

// CHECK: func.func private @other
func.func private @other(%i: i64) -> i64 {
  %c = arith.constant 2 : i64
  %0 = arith.addi %i, %c : i64
  func.return %0 : i64
}

// CHECK: func.func private @marked
func.func private @marked(%i: i64 {llvm.noundef}) -> i64 {
  %c = arith.constant 1 : i64
  %0 = arith.addi %i, %c : i64
  func.return %0 : i64
}

// CHECK: func.func @visible
func.func @visible(%i: i64) -> i64 {
  %c = arith.constant 1 : i64
  %0 = arith.addi %i, %c : i64
  func.return %0 : i64
}

// CHECK: func.func private @declared
// CHECK: func.func private @also_declared
func.func private @declared(i64) -> i64
func.func private @also_declared(i64) -> i64
