//===- Kinds.cpp - Views, sizes and parts of graphs, by name --------------===//

#include "Graph/Kinds.h"
#include "Support/Error.h"
#include <iterator>

using namespace rgnn;

namespace {
enum class Form { List, Offsets, Tiles };
enum class Group {
#define RGNN_VIEW_GROUP(name) name,
#include "RGNN/Support/GraphViews.def"
};

struct ViewRecord {
  const char *name;
  Form form;
  Group group;
};
} // namespace

static constexpr ViewRecord viewRecords[] = {
#define RGNN_VIEW(name, symbol, form, element, group, rows, text)              \
  {#name, Form::form, Group::group},
#include "RGNN/Support/GraphViews.def"
};

static constexpr const char *sizeNames[] = {
#define RGNN_SIZE(name, symbol, text) #name,
#include "RGNN/Support/GraphViews.def"
};

static constexpr const char *partNames[] = {"whole", "src", "dst"};

ViewKind rgnn::parseViewKind(const std::string &name) {
  for (size_t i = 0; i < numViewKinds; ++i)
    if (name == viewRecords[i].name)
      return static_cast<ViewKind>(i);
  failInput("expected the name of a graph view, got '", name, "'");
}

SizeKind rgnn::parseSizeKind(const std::string &name) {
  for (size_t i = 0; i < std::size(sizeNames); ++i)
    if (name == sizeNames[i])
      return static_cast<SizeKind>(i);
  if (name == "edge_type")
    return SizeKind::edge_type_count;
  if (name == "node_type")
    return SizeKind::node_of_type;
  failInput("expected the name of a graph size, got '", name, "'");
}

Part rgnn::parsePart(const std::string &name) {
  for (size_t i = 0; i < std::size(partNames); ++i)
    if (name == partNames[i])
      return static_cast<Part>(i);
  failInput("expected a part of a graph (whole, src or dst), got '", name, "'");
}

const char *rgnn::viewName(ViewKind kind) {
  return viewRecords[static_cast<size_t>(kind)].name;
}

const char *rgnn::partName(Part part) {
  return partNames[static_cast<size_t>(part)];
}

bool rgnn::isOfPartsOnly(ViewKind kind) {
  return viewRecords[static_cast<size_t>(kind)].group == Group::Parts;
}

int64_t rgnn::viewColumns(ViewKind kind) {
  return viewRecords[static_cast<size_t>(kind)].form == Form::Tiles ? 3 : 1;
}
