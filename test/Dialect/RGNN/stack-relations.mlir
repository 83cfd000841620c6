// RUN: rgnn-opt %s --rgnn-stack-relations | FileCheck %s
// RUN: rgnn-opt %s --rgnn-stack-relations --remarks-filter=".*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %check_numeric %s --rgnn-stack-relations

#edge = #rgnn.rows<edge, @g0>
#node = #rgnn.rows<node, @g0>

rgnn.schema @g0 edge_types(3)

// REFUSED: Function=refused | Remark="rows are added up as they were: nothing is known that replaces it"
// CHECK-LABEL: func @refused
//       CHECK: rgnn.reduce sum dst
func.func @refused(%g: !rgnn.graph<@g0>, %x: tensor<?x8xf32, #edge>) -> tensor<?x8xf32, #node> {
  %y = rgnn.reduce sum dst %x in %g : tensor<?x8xf32, #edge>
  return %y : tensor<?x8xf32, #node>
}
