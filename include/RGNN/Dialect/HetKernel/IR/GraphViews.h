//===- GraphViews.h - kinds of views and sizes of graphs --------*- C++ -*-===//
//
// What RGNN/Support/GraphViews.def says of each, which is where they are
// listed.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_DIALECT_HETKERNEL_IR_GRAPHVIEWS_H
#define RGNN_DIALECT_HETKERNEL_IR_GRAPHVIEWS_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/OpImplementation.h"

namespace mlir::hetkernel {

/// An integer array derived from a graph.
enum class ViewKind : uint32_t {
#define RGNN_VIEW(name, symbol, ...) symbol,
#include "RGNN/Support/GraphViews.def"
};

enum class ViewForm { List, Offsets, Tiles };
enum class ViewGroup {
#define RGNN_VIEW_GROUP(name) name,
#include "RGNN/Support/GraphViews.def"
};

StringRef stringifyViewKind(ViewKind kind);
FailureOr<ViewKind> parseViewKind(AsmParser &parser);

ViewForm getForm(ViewKind kind);
/// What a list enumerates, the groups of offsets have as members, or tiles have
/// as rows.
rgnn::Domain getElement(ViewKind kind);
ViewGroup getGroup(ViewKind kind);

/// Whether a view holds tiles: rows of (type, begin, end).
inline bool isTiles(ViewKind kind) { return getForm(kind) == ViewForm::Tiles; }

/// A number of rows of a graph.
enum class SizeKind : uint32_t {
#define RGNN_SIZE(name, symbol, text) symbol,
#include "RGNN/Support/GraphViews.def"
};

StringRef stringifySizeKind(SizeKind kind);
FailureOr<SizeKind> parseSizeKind(AsmParser &parser);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_IR_GRAPHVIEWS_H
