// RUN: rgnn-opt %s --convert-hetkernel-to-gpu=threads=4 --rgnn-merge-launches --test-serialize-launches --rgnn-lower-vectors --memref-expand \
// RUN:   --expand-strided-metadata --lower-affine --arith-expand --convert-scf-to-cf --convert-vector-to-llvm \
// RUN:   --convert-to-llvm --reconcile-unrealized-casts | mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// Attention with two heads of three features, a thread a node, on five nodes of which two have no edges. Equal scores
// make it a mean, which f32 holds exactly here. The program counts the numbers that differ from it.
// CHECK: {{^}}0{{$}}

memref.global "private" constant @offsets : memref<6xi32> = dense<[0, 0, 2, 3, 3, 7]>
memref.global "private" constant @rows : memref<7x2x3xf32> = dense<[[[-4.0, -2.0, 0.0], [-1.0, 1.0, 3.0]], [[1.0, 3.0, -4.0], [4.0, -3.0, -1.0]], [[-3.0, -1.0, 1.0], [0.0, 2.0, 4.0]], [[2.0, 4.0, -3.0], [-4.0, -2.0, 0.0]], [[-2.0, 0.0, 2.0], [1.0, 3.0, -4.0]], [[3.0, -4.0, -2.0], [-3.0, -1.0, 1.0]], [[-1.0, 1.0, 3.0], [2.0, 4.0, -3.0]]]>
memref.global "private" constant @want : memref<5x2x3xf32> = dense<[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[-1.5, 0.5, -2.0], [1.5, -1.0, 1.0]], [[-3.0, -1.0, 1.0], [0.0, 2.0, 4.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.5, 0.25, 0.0], [-1.0, 1.0, -1.5]]]>

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %none = arith.constant dense<0xFF800000> : vector<2xf32>
  %score = arith.constant dense<[1.0, 0.5]> : vector<2xf32>
  %zero = arith.constant dense<0.0> : vector<2xf32>
  %zeros = arith.constant dense<0.0> : vector<2x3xf32>
  %no = arith.constant 0 : i32
  %yes = arith.constant 1 : i32
  %offsets = memref.get_global @offsets : memref<6xi32>
  %rows = memref.get_global @rows : memref<7x2x3xf32>
  %want = memref.get_global @want : memref<5x2x3xf32>
  %out = memref.alloc() : memref<5x2x3xf32>

  hetkernel.traverse rows(%c5) segments(%offsets : memref<6xi32>) outs(%out : memref<5x2x3xf32>) schedule #hetkernel.gpu_traverse<coarsening = 1> {
  ^bb0(%i: index):
    %max = hetkernel.for_each %i init(%none : vector<2xf32>) {
    ^bb0(%e: index, %m: vector<2xf32>):
      %next = arith.maximumf %m, %score : vector<2xf32>
      hetkernel.yield %next : vector<2xf32>
    } -> vector<2xf32>
    %sum, %kept = hetkernel.for_each %i init(%zero : vector<2xf32>) {
    ^bb0(%e: index, %a: vector<2xf32>):
      %d = arith.subf %score, %max : vector<2xf32>
      %x = math.exp %d : vector<2xf32>
      %next = arith.addf %a, %x : vector<2xf32>
      hetkernel.yield %next, %x : vector<2xf32>, vector<2xf32>
    } -> vector<2xf32>, !hetkernel.segment<vector<2xf32>>
    %total = hetkernel.for_each %i init(%zeros : vector<2x3xf32>) {
    ^bb0(%e: index, %a: vector<2x3xf32>):
      %x = hetkernel.element %kept[%e] : !hetkernel.segment<vector<2xf32>>
      %q = arith.divf %x, %sum : vector<2xf32>
      %q1 = vector.shape_cast %q : vector<2xf32> to vector<2x1xf32>
      %q3 = vector.broadcast %q1 : vector<2x1xf32> to vector<2x3xf32>
      %y = hetkernel.row %rows[%e] : memref<7x2x3xf32> -> vector<2x3xf32>
      %m = arith.mulf %y, %q3 : vector<2x3xf32>
      %next = arith.addf %a, %m : vector<2x3xf32>
      hetkernel.yield %next : vector<2x3xf32>
    } -> vector<2x3xf32>
    hetkernel.yield %total : vector<2x3xf32>
  }

  %wrong = scf.for %i = %c0 to %c5 step %c1 iter_args(%a0 = %no) -> (i32) {
    %r0 = scf.for %h = %c0 to %c2 step %c1 iter_args(%a1 = %a0) -> (i32) {
      %r1 = scf.for %f = %c0 to %c3 step %c1 iter_args(%a2 = %a1) -> (i32) {
        %x = memref.load %out[%i, %h, %f] : memref<5x2x3xf32>
        %y = memref.load %want[%i, %h, %f] : memref<5x2x3xf32>
        %differ = arith.cmpf une, %x, %y : f32
        %one = arith.select %differ, %yes, %no : i32
        %a3 = arith.addi %a2, %one : i32
        scf.yield %a3 : i32
      }
      scf.yield %r1 : i32
    }
    scf.yield %r0 : i32
  }
  return %wrong : i32
}
