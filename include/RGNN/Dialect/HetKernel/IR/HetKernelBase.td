//===- HetKernelBase.td - the hetkernel dialect, its enums, types, attrs --===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE
#define RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def HetKernel_Dialect : Dialect {
  let name = "hetkernel";
  let cppNamespace = "::mlir::hetkernel";
  let summary = "kernels of a relational graph neural network, with access schemes and schedules";
  let description = [{
    Two templates do all the work of a model (Hector, ASPLOS 2024, sec. 3.3):

    * `hetkernel.gemm` multiplies rows by weight matrices, `Y[S] = X[G] x W[type]`,
      with gather and scatter lists fused in and one launch for all types; its
      twin `hetkernel.outer_sum` makes the gradients of weights;
    * `hetkernel.traverse` is a loop nest over rows and, within each, over a
      segment of others (a node and its incoming edges), whose region computes on
      one row at a time.

    Adjacency is explicit: `hetkernel.view` names an integer array derived from a
    graph, kernels look entries up in it, and the pass
    `hetkernel-collect-preprocessing` turns the views that a function uses into
    its request to the runtime, which builds each once per graph.

    Inside the library, edges are held in the order of (destination, edge type,
    original number); the *position* of an edge is its place in that order. Edge
    tensors made by kernels have one row a position.

    Kernels work on tensors in destination-passing style, and on buffers after
    bufferisation. A schedule attribute says how a kernel maps to the machine;
    passes obey it.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::rgnn::RGNNDialect", "::mlir::tensor::TensorDialect"];
}

// An enum that RGNN/Support/GraphViews.def lists, declared by GraphViews.h.
class HetKernel_KindParameter<string enum> : AttrParameter<"::mlir::hetkernel::" # enum, ""> {
  let parser = "::mlir::hetkernel::parse" # enum # "($_parser)";
  let printer = "$_printer << ::mlir::hetkernel::stringify" # enum # "($_self)";
}
class HetKernel_KindAttr<string enum, string word> : AttrDef<HetKernel_Dialect, enum> {
  let mnemonic = word;
  let description = "One of those that `build/docs/GraphViews.md` lists.";
  let parameters = (ins HetKernel_KindParameter<enum>:$value);
  let assemblyFormat = "$value";
  let returnType = "::mlir::hetkernel::" # enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::hetkernel::" # enum # "Attr::get($_builder.getContext(), $0)";
}
def HetKernel_ViewKindAttr : HetKernel_KindAttr<"ViewKind", "view_kind"> {
  let summary = "an integer array derived from a graph";
}
def HetKernel_SizeKindAttr : HetKernel_KindAttr<"SizeKind", "size_kind"> {
  let summary = "a number of rows of a graph";
}

def HetKernel_SegmentType : TypeDef<HetKernel_Dialect, "Segment"> {
  let mnemonic = "segment";
  let summary = "one value for each inner row of the current outer row";
  let description = [{
    What an inner loop keeps for a later one: `!hetkernel.segment<vector<4xf32>>`
    holds four numbers for each edge of the node at hand.
  }];
  let parameters = (ins "Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

#endif // RGNN_DIALECT_HETKERNEL_IR_HETKERNELBASE
