// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected an argument to have none but rgnn.input, rgnn.param, rgnn.constant, rgnn.derived, rgnn.drawn, rgnn.value, rgnn.distinct, rgnn.few, rgnn.nodes_of, rgnn.more_nodes_of, rgnn.num_rows, rgnn.rows, rgnn.more_rows, rgnn.total_nodes, rgnn.argument, rgnn.result, rgnn.gradient_of_result, rgnn.gradient_of_argument, rgnn.changes, rgnn.saved, rgnn.made_once, rgnn.size, rgnn.view, rgnn.tile_rows, rgnn.context, rgnn.workspace, got rgnn.reslut}}
func.func private @misspelled(tensor<4xf32> {rgnn.reslut = 0 : i64})

// -----

// expected-error@+1 {{expected a result to have none but rgnn.gradient_of_argument, rgnn.changes, rgnn.saved, got rgnn.result}}
func.func private @on_a_result() -> (tensor<4xf32> {rgnn.result = 0 : i64})

// -----

// expected-error@+1 {{expected an operation to have none but rgnn.num_rows, rgnn.edges_per_node, rgnn.edges_per_node_below, rgnn.once, rgnn.kernel, rgnn.group, rgnn.manifest, got rgnn.saved}}
func.func private @on_a_function() attributes {rgnn.saved}

// -----

// expected-error@+1 {{expected rgnn.argument to be IntegerAttr, got "x"}}
func.func private @of_another_class(tensor<4xf32> {rgnn.argument = "x"})
