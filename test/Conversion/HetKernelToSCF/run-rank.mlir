// RUN: rgnn-opt %s --convert-hetkernel-to-scf=serial-below=0 --convert-linalg-to-loops --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Segments of 0, 1, 2 and 197 rows, in the order of a list, against a comparison of each two rows; with `y` another
// tensor and with `x` itself. Numbers repeat, so
// that some are equal; all are whole, so that sums are exact. The result counts the differences.
// CHECK: {{^}}0{{$}}

func.func @differences_of_two(%x: memref<200x2xf32>, %y: memref<200x2xf32>, %v: memref<200x2xf32>, %segments: memref<5xi32>,
                             %list: memref<200xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %last = arith.constant 199 : index
  %zero = arith.constant 0 : i32
  %zerof = arith.constant 0.0 : f32
  %excess = memref.alloc() : memref<200x2xf32>
  %sums = memref.alloc() : memref<200x2xf32>
  %dx = memref.cast %x : memref<200x2xf32> to memref<?x2xf32>
  %dy = memref.cast %y : memref<200x2xf32> to memref<?x2xf32>
  %dv = memref.cast %v : memref<200x2xf32> to memref<?x2xf32>
  %de = memref.cast %excess : memref<200x2xf32> to memref<?x2xf32>
  %ds = memref.cast %sums : memref<200x2xf32> to memref<?x2xf32>
  %dn = memref.cast %segments : memref<5xi32> to memref<?xi32>
  %dl = memref.cast %list : memref<200xi32> to memref<?xi32>
  hetkernel.rank x(%dx : memref<?x2xf32>) y(%dy : memref<?x2xf32>) segments(%dn list %dl : memref<?xi32>, memref<?xi32>) outs(%de : memref<?x2xf32>)
  hetkernel.rank x(%dx : memref<?x2xf32>) y(%dy : memref<?x2xf32>) values(%dv : memref<?x2xf32>)
      segments(%dn list %dl : memref<?xi32>, memref<?xi32>) outs(%ds : memref<?x2xf32>)

  %wrong = scf.for %s = %c0 to %c4 step %c1 iter_args(%count = %zero) -> i32 {
    %next = arith.addi %s, %c1 : index
    %b32 = memref.load %segments[%s] : memref<5xi32>
    %e32 = memref.load %segments[%next] : memref<5xi32>
    %begin = arith.index_castui %b32 : i32 to index
    %end = arith.index_castui %e32 : i32 to index
    %of_segment = scf.for %i = %begin to %end step %c1 iter_args(%count1 = %count) -> i32 {
      %row = arith.subi %last, %i : index
      %of_row = scf.for %j = %c0 to %c2 step %c1 iter_args(%count2 = %count1) -> i32 {
        %own = memref.load %x[%row, %j] : memref<200x2xf32>
        %expected:2 = scf.for %k = %begin to %end step %c1 iter_args(%e = %zerof, %t = %zerof) -> (f32, f32) {
          %other = arith.subi %last, %k : index
          %key = memref.load %y[%other, %j] : memref<200x2xf32>
          %value = memref.load %v[%other, %j] : memref<200x2xf32>
          %gap = arith.subf %own, %key : f32
          %more = arith.maximumf %gap, %zerof : f32
          %is_below = arith.cmpf olt, %key, %own : f32
          %part = arith.select %is_below, %value, %zerof : f32
          %e1 = arith.addf %e, %more : f32
          %t1 = arith.addf %t, %part : f32
          scf.yield %e1, %t1 : f32, f32
        }
        %got0 = memref.load %excess[%row, %j] : memref<200x2xf32>
        %got1 = memref.load %sums[%row, %j] : memref<200x2xf32>
        %is0 = arith.cmpf une, %got0, %expected#0 : f32
        %is1 = arith.cmpf une, %got1, %expected#1 : f32
        %n0 = arith.extui %is0 : i1 to i32
        %n1 = arith.extui %is1 : i1 to i32
        %sum0 = arith.addi %count2, %n0 : i32
        %sum1 = arith.addi %sum0, %n1 : i32
        scf.yield %sum1 : i32
      }
      scf.yield %of_row : i32
    }
    scf.yield %of_segment : i32
  }
  return %wrong : i32
}

func.func @differences_of_one(%x: memref<200x2xf32>, %v: memref<200x2xf32>, %segments: memref<5xi32>,
                             %list: memref<200xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %last = arith.constant 199 : index
  %zero = arith.constant 0 : i32
  %zerof = arith.constant 0.0 : f32
  %excess = memref.alloc() : memref<200x2xf32>
  %sums = memref.alloc() : memref<200x2xf32>
  %dx = memref.cast %x : memref<200x2xf32> to memref<?x2xf32>
  %dv = memref.cast %v : memref<200x2xf32> to memref<?x2xf32>
  %de = memref.cast %excess : memref<200x2xf32> to memref<?x2xf32>
  %ds = memref.cast %sums : memref<200x2xf32> to memref<?x2xf32>
  %dn = memref.cast %segments : memref<5xi32> to memref<?xi32>
  %dl = memref.cast %list : memref<200xi32> to memref<?xi32>
  hetkernel.rank x(%dx : memref<?x2xf32>) y(%dx : memref<?x2xf32>) segments(%dn list %dl : memref<?xi32>, memref<?xi32>) outs(%de : memref<?x2xf32>)
  hetkernel.rank x(%dx : memref<?x2xf32>) y(%dx : memref<?x2xf32>) values(%dv : memref<?x2xf32>)
      segments(%dn list %dl : memref<?xi32>, memref<?xi32>) outs(%ds : memref<?x2xf32>)

  %wrong = scf.for %s = %c0 to %c4 step %c1 iter_args(%count = %zero) -> i32 {
    %next = arith.addi %s, %c1 : index
    %b32 = memref.load %segments[%s] : memref<5xi32>
    %e32 = memref.load %segments[%next] : memref<5xi32>
    %begin = arith.index_castui %b32 : i32 to index
    %end = arith.index_castui %e32 : i32 to index
    %of_segment = scf.for %i = %begin to %end step %c1 iter_args(%count1 = %count) -> i32 {
      %row = arith.subi %last, %i : index
      %of_row = scf.for %j = %c0 to %c2 step %c1 iter_args(%count2 = %count1) -> i32 {
        %own = memref.load %x[%row, %j] : memref<200x2xf32>
        %expected:2 = scf.for %k = %begin to %end step %c1 iter_args(%e = %zerof, %t = %zerof) -> (f32, f32) {
          %other = arith.subi %last, %k : index
          %key = memref.load %x[%other, %j] : memref<200x2xf32>
          %value = memref.load %v[%other, %j] : memref<200x2xf32>
          %gap = arith.subf %own, %key : f32
          %more = arith.maximumf %gap, %zerof : f32
          %is_below = arith.cmpf olt, %key, %own : f32
          %part = arith.select %is_below, %value, %zerof : f32
          %e1 = arith.addf %e, %more : f32
          %t1 = arith.addf %t, %part : f32
          scf.yield %e1, %t1 : f32, f32
        }
        %got0 = memref.load %excess[%row, %j] : memref<200x2xf32>
        %got1 = memref.load %sums[%row, %j] : memref<200x2xf32>
        %is0 = arith.cmpf une, %got0, %expected#0 : f32
        %is1 = arith.cmpf une, %got1, %expected#1 : f32
        %n0 = arith.extui %is0 : i1 to i32
        %n1 = arith.extui %is1 : i1 to i32
        %sum0 = arith.addi %count2, %n0 : i32
        %sum1 = arith.addi %sum0, %n1 : i32
        scf.yield %sum1 : i32
      }
      scf.yield %of_row : i32
    }
    scf.yield %of_segment : i32
  }
  return %wrong : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant 200 : index
  %last = arith.constant 199 : index
  %prime = arith.constant 7919 : index
  %modulus = arith.constant 101 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = memref.alloc() : memref<200x2xf32>
  %y = memref.alloc() : memref<200x2xf32>
  %v = memref.alloc() : memref<200x2xf32>
  %list = memref.alloc() : memref<200xi32>
  scf.for %i = %c0 to %rows step %c1 {
    %back = arith.subi %last, %i : index
    %to = arith.index_castui %back : index to i32
    memref.store %to, %list[%i] : memref<200xi32>
    scf.for %j = %c0 to %c2 step %c1 {
      %i1 = arith.addi %i, %j : index
      %a = arith.muli %i1, %prime : index
      %b = arith.remui %a, %modulus : index
      %bits = arith.index_castui %b : index to i32
      %number = arith.uitofp %bits : i32 to f32
      memref.store %number, %x[%i, %j] : memref<200x2xf32>
      %a2 = arith.muli %b, %b : index
      %b2 = arith.remui %a2, %modulus : index
      %bits2 = arith.index_castui %b2 : index to i32
      %number2 = arith.uitofp %bits2 : i32 to f32
      memref.store %number2, %y[%i, %j] : memref<200x2xf32>
      %small = arith.remui %i, %c3 : index
      %bits3 = arith.index_castui %small : index to i32
      %number3 = arith.uitofp %bits3 : i32 to f32
      memref.store %number3, %v[%i, %j] : memref<200x2xf32>
    }
  }
  %segments = memref.alloc() : memref<5xi32>
  %three = arith.constant 3 : i32
  %all = arith.constant 200 : i32
  memref.store %zero, %segments[%c0] : memref<5xi32>
  memref.store %zero, %segments[%c1] : memref<5xi32>
  memref.store %one, %segments[%c2] : memref<5xi32>
  memref.store %three, %segments[%c3] : memref<5xi32>
  memref.store %all, %segments[%c4] : memref<5xi32>

  %wrong0 = call @differences_of_two(%x, %y, %v, %segments, %list)
      : (memref<200x2xf32>, memref<200x2xf32>, memref<200x2xf32>, memref<5xi32>, memref<200xi32>) -> i32
  %wrong1 = call @differences_of_one(%x, %v, %segments, %list)
      : (memref<200x2xf32>, memref<200x2xf32>, memref<5xi32>, memref<200xi32>) -> i32
  %wrong = arith.addi %wrong0, %wrong1 : i32
  return %wrong : i32
}
