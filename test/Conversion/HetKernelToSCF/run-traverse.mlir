// RUN: rgnn-opt %s --hetkernel-set-schedule=traverse=task_rows:2 --convert-hetkernel-to-scf --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-set-schedule="traverse=task_rows:2,mapping:edge,coarsening:2" --convert-hetkernel-to-scf=serial-below=0 --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-set-schedule="traverse=task_rows:1,mapping:edge,coarsening:4,hoisting:false" --convert-hetkernel-to-scf=serial-below=0 --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s
// RUN: rgnn-opt %s --hetkernel-set-schedule="traverse=task_rows:100,mapping:edge,partial_aggregation:false,coarsening:2" --convert-hetkernel-to-scf --scf-forall-to-for --memref-expand --expand-strided-metadata \
// RUN:   --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Weights of a softmax over incoming edges, with two heads, on five nodes of which two have no edges: they sum up to
// the row in `sums`, and equal exp(x) / sum(exp(x)) by plain loops.
// CHECK: {{^}}0{{$}}

memref.global "private" constant @offsets : memref<6xi32> = dense<[0, 0, 3, 4, 4, 7]>
memref.global "private" constant @scores : memref<7x2xf32> = dense<[[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5], [3.0, 3.0],
                                                                     [1.0, 1.0], [1.0, -2.0], [0.0, 0.5]]>

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %tolerance = arith.constant 1.0e-6 : f32
  %none = arith.constant dense<0xFF800000> : vector<2xf32>
  %zeros = arith.constant dense<0.0> : vector<2xf32>
  %offsets = memref.get_global @offsets : memref<6xi32>
  %scores = memref.get_global @scores : memref<7x2xf32>
  %weights = memref.alloc() : memref<7x2xf32>
  %sums = memref.alloc() : memref<5x2xf32>

  hetkernel.traverse rows(%c5) segments(%offsets : memref<6xi32>) outs(%weights, %sums : memref<7x2xf32>, memref<5x2xf32>) {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%none : vector<2xf32>) {
    ^bb0(%e: index, %m: vector<2xf32>):
      %x = hetkernel.row %scores[%e] : memref<7x2xf32> -> vector<2xf32>
      %next = arith.maximumf %m, %x : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    %sum, %kept = hetkernel.for_each %i init(%zeros : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %x = hetkernel.row %scores[%e] : memref<7x2xf32> -> vector<2xf32>
      %d = arith.subf %x, %max : vector<2xf32>
      %y = math.exp %d : vector<2xf32>
      %next = arith.addf %a, %y : vector<2xf32>
      hetkernel.yield %next, %y : vector<2xf32>, vector<2xf32>
    } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
    %total, %out = hetkernel.for_each %i init(%zeros : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %y = hetkernel.element %kept[%e] : !hetkernel.segment<vector<2xf32>>
      %q = arith.divf %y, %sum : vector<2xf32>
      %next = arith.addf %a, %q : vector<2xf32>
      hetkernel.yield %next, %q : vector<2xf32>, vector<2xf32>
    } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
    hetkernel.yield %out, %total : !hetkernel.segment<vector<2xf32>>, vector<2xf32>
  }

  %wrong = scf.for %i = %c0 to %c5 step %c1 iter_args(%a0 = %zero) -> (i32) {
    %j = arith.addi %i, %c1 : index
    %begin32 = memref.load %offsets[%i] : memref<6xi32>
    %end32 = memref.load %offsets[%j] : memref<6xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %empty = arith.cmpi eq, %begin, %end : index
    %r0 = scf.for %h = %c0 to %c2 step %c1 iter_args(%a1 = %a0) -> (i32) {
      %sum = scf.for %e = %begin to %end step %c1 iter_args(%acc = %f0) -> (f32) {
        %x = memref.load %scores[%e, %h] : memref<7x2xf32>
        %y = math.exp %x : f32
        %next = arith.addf %acc, %y : f32
        scf.yield %next : f32
      }
      %r1 = scf.for %e = %begin to %end step %c1 iter_args(%a2 = %a1) -> (i32) {
        %x = memref.load %scores[%e, %h] : memref<7x2xf32>
        %y = math.exp %x : f32
        %want = arith.divf %y, %sum : f32
        %got = memref.load %weights[%e, %h] : memref<7x2xf32>
        %d = arith.subf %want, %got : f32
        %abs = math.absf %d : f32
        %far = arith.cmpf uge, %abs, %tolerance : f32
        %inc = arith.select %far, %one, %zero : i32
        %a3 = arith.addi %a2, %inc : i32
        scf.yield %a3 : i32
      }
      %want = arith.select %empty, %f0, %f1 : f32
      %got = memref.load %sums[%i, %h] : memref<5x2xf32>
      %d = arith.subf %want, %got : f32
      %abs = math.absf %d : f32
      %far = arith.cmpf uge, %abs, %tolerance : f32
      %inc = arith.select %far, %one, %zero : i32
      %a4 = arith.addi %r1, %inc : i32
      scf.yield %a4 : i32
    }
    scf.yield %r0 : i32
  }
  return %wrong : i32
}
