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
    auto list = [](ArrayRef<int64_t> numbers) {
      return SmallVector<int64_t>(numbers);
    };
    return {this->numEdges,          this->numSrcPairs,
            this->numDstPairs,       this->numNodes,
            this->numEdgeTypes,      this->numNodeTypes,
            list(this->nodesOfType), list(this->numOfSrcPart),
            list(this->numOfDstPart)};
  }
};

} // namespace mlir::rgnn

#endif // RGNN_ANALYSIS_GRAPHSIZEPASS_H
