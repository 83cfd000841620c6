// RUN: rgnn-opt %s --split-input-file --verify-diagnostics

func.func @view_c1(%g: !rgnn.graph<@g>) {
  // expected-error @+1 {{expected a result of shape ?x3 for etype_tiles, got 'tensor<?xi32>'}}
  %t = hetkernel.view etype_tiles 96 of %g : !rgnn.graph<@g> -> tensor<?xi32>
  return
}

// -----

func.func @view_c1_list(%g: !rgnn.graph<@g>) {
  // expected-error @+1 {{expected a result of shape ? for src_of_edge, got 'tensor<?x3xi32>'}}
  %t = hetkernel.view src_of_edge of %g : !rgnn.graph<@g> -> tensor<?x3xi32>
  return
}

// -----

func.func @view_unknown(%g: !rgnn.graph<@g>) {
  // expected-error @below {{expected the name of a graph view, got 'edges'}}
  // expected-error @below {{failed to parse}}
  %t = hetkernel.view edges of %g : !rgnn.graph<@g> -> tensor<?xi32>
  return
}

// -----

func.func @size_unknown(%g: !rgnn.graph<@g>) {
  // expected-error @below {{expected the name of a graph size, got 'edge_type'}}
  // expected-error @below {{failed to parse}}
  %n = hetkernel.size edge_type of %g : !rgnn.graph<@g>
  return
}

// -----

func.func @view_c2(%g: !rgnn.graph<@g>) {
  // expected-error @+1 {{expected a param of at least 1 for ntype_tiles, got 0}}
  %t = hetkernel.view ntype_tiles of %g : !rgnn.graph<@g> -> tensor<?x3xi32>
  return
}

// -----

func.func @gemm_c1_element(%x: memref<?x8xf32>, %w: memref<8x4xf64>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected one element type, got 'f32', 'f64' and 'f32'}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<8x4xf64>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c1_rank(%x: memref<?x8xf32>, %w: memref<5x8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected x of rank 3 and out alike for weight}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<5x8x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c1_heads(%x: memref<?x2x8xf32>, %w: memref<3x8x4xf32>, %o: memref<?x2x4xf32>) {
  // expected-error @+1 {{expected equal dimensions between rows and features}}
  hetkernel.gemm x(%x : memref<?x2x8xf32>) weight(%w : memref<3x8x4xf32>) outs(%o : memref<?x2x4xf32>)
  return
}

// -----

func.func @gemm_c1_transposed(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected x of 4 and out of 8 features, got 8 and 4}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w transposed : memref<8x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c2_tiles(%x: memref<?x8xf32>, %w: memref<5x8x4xf32>, %t: memref<?x2xi32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected tiles of shape ?x3, got 'memref<?x2xi32>'}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<5x8x4xf32>) tiles(%t : memref<?x2xi32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c2_list(%x: memref<?x8xf32>, %g: memref<?x1xi32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected lists of rank 1, got 'memref<?x1xi32>'}}
  hetkernel.gemm x(%x gather %g : memref<?x8xf32>, memref<?x1xi32>) weight(%w : memref<8x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c4_bias(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %b: memref<5x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected a bias like the rows of 'memref<?x4xf32>', for all or for each type, got 'memref<5x4xf32>'}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<8x4xf32>) bias(%b : memref<5x4xf32>) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @gemm_c5_replaces(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected accumulate with atomic, got a product that replaces what there is}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<8x4xf32>) outs(%o : memref<?x4xf32>) atomic
  return
}

// -----

func.func @gemm_c5_half(%x: memref<?x8xbf16>, %w: memref<8x4xbf16>, %o: memref<?x4xbf16>) {
  // expected-error @+1 {{expected floats of 32 or 64 bits to add to atomically, got 'bf16'}}
  hetkernel.gemm x(%x : memref<?x8xbf16>) weight(%w : memref<8x4xbf16>) outs(%o : memref<?x4xbf16>) accumulate atomic
  return
}

// -----

func.func @gemm_c3_width(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+2 {{expected a power of two as vector width, got 6}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<8x4xf32>) outs(%o : memref<?x4xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 6>
  return
}

// -----

func.func @gemm_c3_block(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>) {
  // expected-error @+2 {{expected blocks of at least one row and one vector, got 0 and 2}}
  hetkernel.gemm x(%x : memref<?x8xf32>) weight(%w : memref<8x4xf32>) outs(%o : memref<?x4xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 0, block_vectors = 2, vector_width = 8>
  return
}

// -----

func.func @traverse_c1(%n: index, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected a region with one argument of type index}}
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) {
    hetkernel.yield %zero : f32
  }
  return
}

// -----

func.func @traverse_c2(%n: index, %o: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected to yield 'vector<4xf32>' for 'memref<?x4xf32>', got 'f32'}}
  hetkernel.traverse rows(%n) outs(%o : memref<?x4xf32>) {
  ^bb0(%i: index):
    hetkernel.yield %zero : f32
  }
  return
}

// -----

func.func @traverse_c3(%n: index, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expected segments for the hetkernel.for_each in the region, got none}}
  hetkernel.traverse rows(%n) outs(%o : memref<?xf32>) {
  ^bb0(%i: index):
    %s = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %a: f32):
      hetkernel.yield %a : f32
    } -> f32
    hetkernel.yield %s : f32
  }
  return
}

// -----

func.func @for_each_c1(%n: index, %p: memref<?xi32>, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) {
  ^bb0(%i: index):
    // expected-error @+1 {{expected an index and 1 accumulators as region arguments, got 1}}
    %s = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index):
      hetkernel.yield %zero : f32
    } -> f32
    hetkernel.yield %s : f32
  }
  return
}

// -----

func.func @for_each_c2(%n: index, %p: memref<?xi32>, %o: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  hetkernel.traverse rows(%n) segments(%p : memref<?xi32>) outs(%o : memref<?xf32>) {
  ^bb0(%i: index):
    // expected-error @+1 {{expected result 1 to be a segment, got 'f32'}}
    %s:2 = hetkernel.for_each %i init(%zero : f32) {
    ^bb0(%e: index, %a: f32):
      hetkernel.yield %a, %a : f32, f32
    } -> f32, f32
    hetkernel.yield %s#0 : f32
  }
  return
}

// -----

func.func @row_c1(%x: memref<?x4xf32>, %i: index) {
  // expected-error @+1 {{expected the row below 1 indices of 'memref<?x4xf32>', got 'vector<8xf32>'}}
  %r = hetkernel.row %x[%i] : memref<?x4xf32> -> vector<8xf32>
  return
}

// -----

func.func @rank_c1(%x: memref<?x4xf32>, %y: memref<?x3xf32>, %s: memref<?xi32>) {
  // expected-error@+1 {{expected rows like those of 'memref<?x4xf32>', got 'memref<?x3xf32>'}}
  hetkernel.rank x(%x : memref<?x4xf32>) y(%y : memref<?x3xf32>) segments(%s : memref<?xi32>) outs(%x : memref<?x4xf32>)
  return
}

// -----

func.func @rank_c1_rank(%x: memref<?xf32>, %s: memref<?xi32>) {
  // expected-error@+1 {{expected out of rank 2, got 'memref<?xf32>'}}
  hetkernel.rank x(%x : memref<?xf32>) y(%x : memref<?xf32>) segments(%s : memref<?xi32>) outs(%x : memref<?xf32>)
  return
}

// -----

func.func @rank_c2(%x: memref<?x4xf32>, %s: memref<?x3xi32>) {
  // expected-error@+1 {{expected lists of rank 1, got 'memref<?x3xi32>'}}
  hetkernel.rank x(%x : memref<?x4xf32>) y(%x : memref<?x4xf32>) segments(%s : memref<?x3xi32>) outs(%x : memref<?x4xf32>)
  return
}

// -----

func.func @concat_c1(%a: memref<?x8xf32>, %b: memref<?x4xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected parts like 'memref<?x8xf32>', got 'memref<?x4xf32>'}}
  hetkernel.concat (%a, %b : memref<?x8xf32>, memref<?x4xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @scatter_c1(%s: !hetkernel.segment<f32>) {
  // expected-error @+1 {{expected at least one list, got none}}
  %t = "hetkernel.scatter"(%s) : (!hetkernel.segment<f32>) -> !hetkernel.segment<f32>
  return
}

// -----

func.func @scatter_c1_rank(%s: !hetkernel.segment<f32>, %l: tensor<?x3xi32>) {
  // expected-error @+1 {{expected lists of rank 1, got 'tensor<?x3xi32>'}}
  %t = hetkernel.scatter %s by %l : !hetkernel.segment<f32>, tensor<?x3xi32>
  return
}

// -----

func.func @view_c1_pairs(%g: !rgnn.graph<@g>) {
  // expected-error @+1 {{expected a result of shape ?x3 for src_pair_tiles, got 'tensor<?xi32>'}}
  %t = hetkernel.view src_pair_tiles 96 of %g : !rgnn.graph<@g> -> tensor<?xi32>
  return
}

// -----

func.func @outer_sum_c1_element(%x: memref<?x8xf64>, %y: memref<?x4xf32>, %o: memref<8x4xf32>) {
  // expected-error @+1 {{expected one element type, got 'f64', 'f32' and 'f32'}}
  hetkernel.outer_sum x(%x : memref<?x8xf64>) y(%y : memref<?x4xf32>) outs(%o : memref<8x4xf32>)
  return
}

// -----

func.func @outer_sum_c1_features(%y: memref<?xf32>, %o: memref<f32>) {
  // expected-error @+1 {{expected y of rank 2 or more, got 'memref<?xf32>'}}
  hetkernel.outer_sum y(%y : memref<?xf32>) outs(%o : memref<f32>)
  return
}

// -----

func.func @outer_sum_c1_heads(%x: memref<?x3x8xf32>, %y: memref<?x2x4xf32>, %o: memref<2x8x4xf32>) {
  // expected-error @+1 {{expected equal dimensions between rows and features, got 'memref<?x3x8xf32>' and 'memref<?x2x4xf32>'}}
  hetkernel.outer_sum x(%x : memref<?x3x8xf32>) y(%y : memref<?x2x4xf32>) outs(%o : memref<2x8x4xf32>)
  return
}

// -----

func.func @outer_sum_c1_out(%x: memref<?x8xf32>, %y: memref<?x4xf32>, %o: memref<4x8xf32>) {
  // expected-error @+1 {{expected out of shape 8x4, got 'memref<4x8xf32>'}}
  hetkernel.outer_sum x(%x : memref<?x8xf32>) y(%y : memref<?x4xf32>) outs(%o : memref<4x8xf32>)
  return
}

// -----

func.func @outer_sum_c1_types(%y: memref<?x4xf32>, %t: memref<?x3xi32>, %o: memref<4xf32>) {
  // expected-error @+1 {{expected out of shape types x 4, got 'memref<4xf32>'}}
  hetkernel.outer_sum y(%y : memref<?x4xf32>) tiles(%t : memref<?x3xi32>) outs(%o : memref<4xf32>)
  return
}

// -----

func.func @outer_sum_c4(%y: tensor<?x4xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %t = arith.constant dense<[[0, 0, 2], [2, 2, 5], [1, 5, 6]]> : tensor<3x3xi32>
  // expected-error @+1 {{expected tiles in the order of their types, got one of type 2 before one of type 1}}
  %0 = hetkernel.outer_sum y(%y : tensor<?x4xf32>) tiles(%t : tensor<3x3xi32>) outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @outer_sum_c2_tiles(%y: memref<?x4xf32>, %t: memref<?x2xi32>, %o: memref<5x4xf32>) {
  // expected-error @+1 {{expected tiles of shape ?x3, got 'memref<?x2xi32>'}}
  hetkernel.outer_sum y(%y : memref<?x4xf32>) tiles(%t : memref<?x2xi32>) outs(%o : memref<5x4xf32>)
  return
}

// -----

func.func @outer_sum_c2_list(%y: memref<?x4xf32>, %g: memref<?x1xi32>, %o: memref<4xf32>) {
  // expected-error @+1 {{expected lists of rank 1, got 'memref<?x1xi32>'}}
  hetkernel.outer_sum y(%y gather %g : memref<?x4xf32>, memref<?x1xi32>) outs(%o : memref<4xf32>)
  return
}

// -----

func.func @outer_sum_c3(%y: memref<?x4xf32>, %o: memref<4xf32>) {
  // expected-error @+2 {{expected a power of two as vector width, got 6}}
  hetkernel.outer_sum y(%y : memref<?x4xf32>) outs(%o : memref<4xf32>)
      schedule #hetkernel.cpu_gemm<tile_rows = 96, block_rows = 6, block_vectors = 2, vector_width = 6>
  return
}
