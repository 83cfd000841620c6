//===- RGNNBase.td - the rgnn dialect and what its definitions share ------===//

#ifndef RGNN_DIALECT_RGNN_IR_RGNNBASE
#define RGNN_DIALECT_RGNN_IR_RGNNBASE

include "mlir/IR/OpBase.td"

def RGNN_Dialect : Dialect {
  let name = "rgnn";
  let cppNamespace = "::mlir::rgnn";
  let summary = "the mathematics of a relational graph neural network over a typed graph";
  let description = [{
    A program of this dialect says what a model computes for every node, edge,
    or pair of them, and nothing about storage. Values are tensors whose first
    dimension enumerates a *domain* of a graph; the encoding `#rgnn.rows` names
    the domain. The domains form a lattice of maps, and all movement of data
    follows them:

    ```
                src                     ntype
      edge ------------> node ----------------> ntype
       |  \     dst       ^
       |   \------------- |
       |                  | src (dst)
       +--> src_pair -----+                 src_pair: unique (source node, edge type)
       +--> dst_pair                        dst_pair: unique (destination node, edge type)
       +------------> etype <--- src_pair, dst_pair
    ```

    Edges of a part of a graph (`rgnn.split_graph`) have an arrow more, `whole`,
    to themselves among the edges of the whole graph.

    `rgnn.gather` moves rows against an arrow (an edge reads the row of its
    source node), `rgnn.reduce` along it (a node sums the rows of its incoming
    edges); each is the other's transpose. Everything else acts on each row by
    itself. A tensor without encoding is shared by all rows.

    Canonicalisation leaves dimensions of size one, such as that of a single
    head, out of rows: they are computed without, and reshaped behind.

    Domains generalise the residencies of Graphiler (MLSys 2022, sec. 3) and
    the compact rows of Hector (ASPLOS 2024, sec. 3.2.2); postponing and
    merging movement follows Zhang et al. (MLSys 2022).
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 0;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

class RGNN_Op<string mnemonic, list<Trait> traits = []> : Op<RGNN_Dialect, mnemonic, traits>;

#endif // RGNN_DIALECT_RGNN_IR_RGNNBASE
