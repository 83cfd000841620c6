// An installed RGNN is enough for another project: it configures, builds and runs against a fresh prefix alone.

// RUN: rm -rf %t && mkdir %t
// RUN: %cmake --install %rgnn_build --prefix %t/prefix > %t/install.log
// RUN: %cmake -S %S -B %t/build -G Ninja -DCMAKE_CXX_COMPILER=%cxx -DCMAKE_PREFIX_PATH=%t/prefix > %t/configure.log
// RUN: %cmake --build %t/build > %t/build.log
// RUN: %t/build/count-ops %s | FileCheck %s

// The tools find MLIR from where they are now, and do what those of the build tree do.
// RUN: %t/prefix/bin/rgnn-opt %s | %t/build/count-ops - | FileCheck %s
// RUN: %t/prefix/bin/rgnn-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: %t/prefix/bin/rgnn-translate --help | FileCheck %s --check-prefix=HELP
// RUN: ls %t/prefix/bin/rgnn-lsp-server %t/prefix/include/RGNN/Dialect/RGNN/IR/RGNNOps.td %t/prefix/include/rgnn/runtime.h

// VERSION: LLVM version 22
// HELP: --rgnn-to-object

// CHECK:      builtin.module: 1
// CHECK-NEXT: func.func: 1
// CHECK-NEXT: func.return: 1
// CHECK-NEXT: rgnn.gather: 2
// CHECK-NEXT: rgnn.reduce: 1
// CHECK-NEXT: rgnn.schema: 1

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>
rgnn.schema @g0 edge_types(3)
func.func @neighbours(%g: !rgnn.graph<@g0>, %h: tensor<?x8xf32, #node>) -> tensor<?x8xf32, #edge> {
  %u = rgnn.gather src %h in %g : tensor<?x8xf32, #node>
  %s = rgnn.reduce sum dst %u in %g : tensor<?x8xf32, #edge>
  %v = rgnn.gather dst %s in %g : tensor<?x8xf32, #node>
  return %v : tensor<?x8xf32, #edge>
}
