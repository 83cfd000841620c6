//===- GraphSizeOptions.td - sizes of a graph as options ----*- tablegen -*-===//

#ifndef RGNN_ANALYSIS_GRAPHSIZEOPTIONS
#define RGNN_ANALYSIS_GRAPHSIZEOPTIONS

include "mlir/Pass/PassBase.td"

// The fields of `GraphSizes`, of passes that count without a graph.
defvar GraphSizeOptions = [
  Option<"numNodes", "nodes", "int64_t", "-1", "number of nodes; like all sizes, unknown if negative">,
  Option<"numEdges", "edges", "int64_t", "-1", "number of edges">,
  Option<"numSrcPairs", "src-pairs", "int64_t", "-1", "number of unique pairs of a source and an edge type">,
  Option<"numDstPairs", "dst-pairs", "int64_t", "-1", "number of unique pairs of a destination and an edge type">,
  Option<"numEdgeTypes", "edge-types", "int64_t", "-1", "number of edge types, if the schema does not say it">,
  Option<"numNodeTypes", "node-types", "int64_t", "-1", "number of node types, if the schema does not say it">,
  ListOption<"nodesOfType", "nodes-of-type", "int64_t", "number of nodes of each type">,
  ListOption<"numOfSrcPart", "src-part", "int64_t",
             "numbers of edges, source pairs and destination pairs of part src of `rgnn.split_graph`">,
  ListOption<"numOfDstPart", "dst-part", "int64_t", "the same of part dst">];

#endif // RGNN_ANALYSIS_GRAPHSIZEOPTIONS
