//===- GraphSizePass.h - passes told the sizes of a graph -------*- C++ -*-===//

#ifndef RGNN_ANALYSIS_GRAPHSIZEPASS_H
#define RGNN_ANALYSIS_GRAPHSIZEPASS_H

#include "RGNN/Analysis/Cost.h"

namespace mlir::rgnn {

/// A pass with the options of GraphSizeOptions.td. `Base` is the class that
/// ODS makes of it.
template <typename Base>
struct GraphSizePass : Base {
  using Base::Base;

  GraphSizes getSizes() const {
    return {this->numEdges,
            this->numSrcPairs,
            this->numDstPairs,
            this->numNodes,
            this->numEdgeTypes,
            this->numNodeTypes,
            SmallVector<int64_t>(this->nodesOfType.begin(),
                                 this->nodesOfType.end())};
  }
};

} // namespace mlir::rgnn

#endif // RGNN_ANALYSIS_GRAPHSIZEPASS_H
