//===- Kinds.h - Views, sizes and parts of graphs, by name ------*- C++ -*-===//

#ifndef RGNN_RUNTIME_GRAPH_KINDS_H
#define RGNN_RUNTIME_GRAPH_KINDS_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace rgnn {

enum class ViewKind {
#define RGNN_VIEW(name, ...) name,
#include "RGNN/Support/GraphViews.def"
};

constexpr size_t numViewKinds = 0
#define RGNN_VIEW(name, ...) +1
#include "RGNN/Support/GraphViews.def"
    ;

/// Views hold numbers of 32 bits.
constexpr int64_t maxIndex = std::numeric_limits<int32_t>::max();

enum class SizeKind {
#define RGNN_SIZE(name, symbol, text) name,
#include "RGNN/Support/GraphViews.def"
};

/// A graph's edges, or those of some edge types: `src` has the types with at
/// most as many unique sources as unique destinations, `dst` the others. What
/// is computed once for each unique end of a type is least so.
enum class Part { whole, src, dst };

/// All fail on an unknown name.
ViewKind parseViewKind(const std::string &name);
/// Knows the words of earlier files, too: `edge_type` was edge_type_count, and
/// `node_type` was node_of_type.
SizeKind parseSizeKind(const std::string &name);
Part parsePart(const std::string &name);
const char *viewName(ViewKind kind);
const char *partName(Part part);
/// Whether only parts have views of the kind: those that lead to the whole.
bool isOfPartsOnly(ViewKind kind);
/// 1, or 3 for tiles, whose parameter is the largest number of rows of a tile.
int64_t viewColumns(ViewKind kind);

} // namespace rgnn

#endif // RGNN_RUNTIME_GRAPH_KINDS_H
