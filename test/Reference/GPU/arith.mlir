// Numbers: what each op of arith and math gives, on the host, where no kernel is in the way.

// RUN: rgnn-translate --rgnn-simulate-gpu %s | FileCheck %s --match-full-lines

// -7 and 2 in 8 bits: the number -7 is 249 where it has no sign.
// CHECK-LABEL: @integers: 0 launches
//  CHECK-NEXT: result 0: 20
//  CHECK-NEXT: -5
//  CHECK-NEXT: -9
//  CHECK-NEXT: -14
//  CHECK-NEXT: -3
//  CHECK-NEXT: -1
//  CHECK-NEXT: 124
//  CHECK-NEXT: 1
//  CHECK-NEXT: -3
//  CHECK-NEXT: -4
//  CHECK-NEXT: 125
//  CHECK-NEXT: 0
//  CHECK-NEXT: -5
//  CHECK-NEXT: -5
//  CHECK-NEXT: -28
//  CHECK-NEXT: 62
//  CHECK-NEXT: -2
//  CHECK-NEXT: -7
//  CHECK-NEXT: 2
//  CHECK-NEXT: 2
//  CHECK-NEXT: -7
func.func @integers() -> vector<20xi8> {
  %a = arith.constant -7 : i8
  %b = arith.constant 2 : i8
  %0 = arith.addi %a, %b : i8
  %1 = arith.subi %a, %b : i8
  %2 = arith.muli %a, %b : i8
  %3 = arith.divsi %a, %b : i8
  %4 = arith.remsi %a, %b : i8
  %5 = arith.divui %a, %b : i8
  %6 = arith.remui %a, %b : i8
  %7 = arith.ceildivsi %a, %b : i8
  %8 = arith.floordivsi %a, %b : i8
  %9 = arith.ceildivui %a, %b : i8
  %10 = arith.andi %a, %b : i8
  %11 = arith.ori %a, %b : i8
  %12 = arith.xori %a, %b : i8
  %13 = arith.shli %a, %b : i8
  %14 = arith.shrui %a, %b : i8
  %15 = arith.shrsi %a, %b : i8
  %16 = arith.minsi %a, %b : i8
  %17 = arith.maxsi %a, %b : i8
  %18 = arith.minui %a, %b : i8
  %19 = arith.maxui %a, %b : i8
  %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19 : vector<20xi8>
  return %all : vector<20xi8>
}

// NaN, and numbers with and without it. Each column is a predicate: oeq ogt olt ord ueq ugt une uno.
// CHECK-LABEL: @comparisons: 0 launches
//  CHECK-NEXT: result 0: 3x8
//  CHECK-NEXT: 0 0 1 1 0 0 1 0
//  CHECK-NEXT: 1 0 0 1 1 0 0 0
//  CHECK-NEXT: 0 0 0 0 1 1 1 1
func.func @comparisons() -> vector<3x8xi1> {
  %a = arith.constant dense<[1.0, 2.0, 0x7FC00000]> : vector<3xf32>
  %b = arith.constant dense<2.0> : vector<3xf32>
  %0 = arith.cmpf oeq, %a, %b : vector<3xf32>
  %1 = arith.cmpf ogt, %a, %b : vector<3xf32>
  %2 = arith.cmpf olt, %a, %b : vector<3xf32>
  %3 = arith.cmpf ord, %a, %b : vector<3xf32>
  %4 = arith.cmpf ueq, %a, %b : vector<3xf32>
  %5 = arith.cmpf ugt, %a, %b : vector<3xf32>
  %6 = arith.cmpf une, %a, %b : vector<3xf32>
  %7 = arith.cmpf uno, %a, %b : vector<3xf32>
  %none = arith.constant dense<false> : vector<8x3xi1>
  %8 = vector.insert %0, %none[0] : vector<3xi1> into vector<8x3xi1>
  %9 = vector.insert %1, %8[1] : vector<3xi1> into vector<8x3xi1>
  %10 = vector.insert %2, %9[2] : vector<3xi1> into vector<8x3xi1>
  %11 = vector.insert %3, %10[3] : vector<3xi1> into vector<8x3xi1>
  %12 = vector.insert %4, %11[4] : vector<3xi1> into vector<8x3xi1>
  %13 = vector.insert %5, %12[5] : vector<3xi1> into vector<8x3xi1>
  %14 = vector.insert %6, %13[6] : vector<3xi1> into vector<8x3xi1>
  %15 = vector.insert %7, %14[7] : vector<3xi1> into vector<8x3xi1>
  %all = vector.transpose %15, [1, 0] : vector<8x3xi1> to vector<3x8xi1>
  return %all : vector<3x8xi1>
}

// Each sum and product is rounded to its type: 1 + 2^-24 in f32, 1 + 2^-9 in bf16, 2048 + 1 in f16.
// CHECK-LABEL: @rounding: 0 launches
//  CHECK-NEXT: result 0: scalar
//  CHECK-NEXT: 1{{$}}
//  CHECK-NEXT: result 1: scalar
//  CHECK-NEXT: 1.00000006
//  CHECK-NEXT: result 2: scalar
//  CHECK-NEXT: 1{{$}}
//  CHECK-NEXT: result 3: scalar
//  CHECK-NEXT: 2048
//  CHECK-NEXT: result 4: scalar
//  CHECK-NEXT: 5.96046448e-08
func.func @rounding() -> (f32, f64, bf16, f16, f32) {
  %a32 = arith.constant 1.0 : f32
  %b32 = arith.constant 5.9604644775390625e-08 : f32
  %0 = arith.addf %a32, %b32 : f32
  %a64 = arith.extf %a32 : f32 to f64
  %b64 = arith.extf %b32 : f32 to f64
  %1 = arith.addf %a64, %b64 : f64
  %a16 = arith.constant 1.0 : bf16
  %b16 = arith.constant 1.953125e-03 : bf16
  %2 = arith.addf %a16, %b16 : bf16
  %ah = arith.constant 2048.0 : f16
  %bh = arith.constant 1.0 : f16
  %3 = arith.addf %ah, %bh : f16
  // (1 + 2^-24) x 1 - 1, rounded once.
  %c32 = arith.constant -1.0 : f32
  %sum = math.fma %b32, %a32, %a32 : f32
  %4 = math.fma %a32, %b32, %c32 : f32
  %5 = math.fma %4, %a32, %a32 : f32
  return %0, %1, %2, %3, %5 : f32, f64, bf16, f16, f32
}

// CHECK-LABEL: @casts: 0 launches
//  CHECK-NEXT: result 0: 6
//  CHECK-NEXT: -3
//  CHECK-NEXT: -3
//  CHECK-NEXT: 253
//  CHECK-NEXT: -3
//  CHECK-NEXT: -3
//  CHECK-NEXT: 4
func.func @casts() -> vector<6xi64> {
  %f = arith.constant -3.5 : f32
  %p = arith.constant 0x00000004 : f32
  %0 = arith.fptosi %f : f32 to i64
  %b = arith.constant -3 : i8
  %1 = arith.extsi %b : i8 to i64
  %2 = arith.extui %b : i8 to i64
  %t = arith.trunci %1 : i64 to i8
  %3 = arith.extsi %t : i8 to i64
  %i = arith.index_cast %b : i8 to index
  %4 = arith.index_cast %i : index to i64
  %bits = arith.bitcast %p : f32 to i32
  %5 = arith.extui %bits : i32 to i64
  %all = vector.from_elements %0, %1, %2, %3, %4, %5 : vector<6xi64>
  return %all : vector<6xi64>
}

// CHECK-LABEL: @functions: 0 launches
//  CHECK-NEXT: result 0: 8
//  CHECK-NEXT: 1.6487212{{[0-9]*}}
//  CHECK-NEXT: -0.693147182
//  CHECK-NEXT: 0.707106769
//  CHECK-NEXT: 1.41421354
//  CHECK-NEXT: 0.462117165
//  CHECK-NEXT: 0.520499885
//  CHECK-NEXT: 0.5
//  CHECK-NEXT: nan
func.func @functions() -> vector<8xf32> {
  %x = arith.constant 0.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %n = arith.negf %x : f32
  %0 = math.exp %x : f32
  %1 = math.log %x : f32
  %2 = math.sqrt %x : f32
  %3 = math.rsqrt %x : f32
  %4 = math.tanh %x : f32
  %5 = math.erf %x : f32
  %6 = arith.maxnumf %nan, %x : f32
  %7 = arith.maximumf %n, %nan : f32
  %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7 : vector<8xf32>
  return %all : vector<8xf32>
}
