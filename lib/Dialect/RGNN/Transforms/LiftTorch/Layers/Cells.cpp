//===- Cells.cpp - cells of recurrent networks ----------------------------===//
//
// Products of the input and of the state, and maps of their slices: the gates.
//
//===----------------------------------------------------------------------===//

#include "../Elements/Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// `x` times a transposed weight, with a bias where there is one; null with a
/// reason.
static Value project(TorchCall &call, Value x, unsigned weight, unsigned bias) {
  Value product = multiplyRows(call, x, weight, /*isTransposed=*/true);
  return product && !call.isNone(bias) ? addBias(call, product, bias) : product;
}

/// The gates in one product, `[rows, gates * width]`, as one tensor each.
static FailureOr<SmallVector<Value>> split(TorchCall &call, Value product,
                                           unsigned numGates, int64_t width) {
  auto type = cast<RankedTensorType>(product.getType());
  if (type.getRank() != 2 || type.getDimSize(1) != numGates * width)
    return call.refuse("its weights have not " + Twine(numGates) + " gates");
  SmallVector<Value> gates;
  for (unsigned i = 0; i < numGates; ++i)
    gates.push_back(
        SliceOp::create(call.builder, call.loc, product, 1, i * width, width));
  return gates;
}

/// The input, and states on its rows; null with a reason.
static SmallVector<Value> getRowsOfCell(TorchCall &call,
                                        ArrayRef<Value> states) {
  SmallVector<Value> rows{call.rowsOrPlain(0)};
  RowsAttr domain = rows[0] ? rgnn::getRows(rows[0].getType()) : RowsAttr();
  for (Value state : states)
    if (rows.back())
      rows.push_back(domain ? call.on(state, domain) : call.plain(state));
  return rows.back() ? rows : SmallVector<Value>();
}

/// gru_cell(x, h, w_ih, w_hh, b_ih, b_hh)
static LogicalResult liftGruCell(TorchCall &call) {
  Value state = call.floats(1);
  if (!state)
    return call.refuse("argument 1 is not a tensor of floats");
  SmallVector<Value> rows = getRowsOfCell(call, state);
  Value ofInput = rows.empty() ? Value() : project(call, rows[0], 2, 4);
  Value ofState = ofInput ? project(call, rows[1], 3, 5) : Value();
  if (!ofState)
    return failure();
  int64_t width = cast<RankedTensorType>(state.getType()).getShape().back();
  FailureOr<SmallVector<Value>> input = split(call, ofInput, 3, width),
                                hidden = split(call, ofState, 3, width);
  if (failed(input) || failed(hidden))
    return failure();
  SmallVector<Value> inputs(*input);
  llvm::append_range(inputs, *hidden);
  inputs.push_back(rows[1]);
  Type type = rows[1].getType();
  return call.replace(
      {buildMap(call, type, inputs, [](Scalars &s, ArrayRef<Value> x) {
        Value reset = buildSigmoid(s, s.add(x[0], x[3])),
              update = buildSigmoid(s, s.add(x[1], x[4]));
        Value made = s.unary<math::TanhOp>(s.add(x[2], s.mul(reset, x[5])));
        return s.add(s.mul(s.sub(x[6], made), update), made);
      })});
}

/// lstm_cell(x, [h, c], w_ih, w_hh, b_ih, b_hh): the state and the cell
static LogicalResult liftLstmCell(TorchCall &call) {
  std::optional<SmallVector<Value>> states = call.values(1);
  if (!states || states->size() != 2)
    return call.refuse("argument 1 is not a state and a cell");
  SmallVector<Value> rows = getRowsOfCell(call, *states);
  Value ofInput = rows.empty() ? Value() : project(call, rows[0], 2, 4);
  Value ofState = ofInput ? project(call, rows[1], 3, 5) : Value();
  if (!ofState)
    return failure();
  Type type = rows[2].getType();
  Value sum =
      buildMap(call, ofInput.getType(), {ofInput, ofState},
               [](Scalars &s, ArrayRef<Value> x) { return s.add(x[0], x[1]); });
  FailureOr<SmallVector<Value>> gates =
      split(call, sum, 4, cast<RankedTensorType>(type).getShape().back());
  if (failed(gates))
    return failure();
  Value cell =
      buildMap(call, type, {(*gates)[0], (*gates)[1], (*gates)[2], rows[2]},
               [](Scalars &s, ArrayRef<Value> x) {
                 Value kept = s.mul(buildSigmoid(s, x[1]), x[3]);
                 return s.add(kept, s.mul(buildSigmoid(s, x[0]),
                                          s.unary<math::TanhOp>(x[2])));
               });
  Value state = buildMap(
      call, type, {(*gates)[3], cell}, [](Scalars &s, ArrayRef<Value> x) {
        return s.mul(buildSigmoid(s, x[0]), s.unary<math::TanhOp>(x[1]));
      });
  return call.replace({state, cell});
}

/// Results have the rows of the input and of the states.
static void rowsOfCell(Arguments arguments, Sizes &sizes) {
  Value x = arguments.floats(0);
  if (!x || cast<RankedTensorType>(x.getType()).getRank() != 2)
    return;
  SmallVector<Value> others(arguments.op.getResults());
  if (Value state = arguments.floats(1))
    others.push_back(state);
  else if (auto states = arguments.values(1))
    llvm::append_range(others, *states);
  for (Value other : others)
    if (auto type = dyn_cast<RankedTensorType>(other.getType());
        type && type.getRank() == 2)
      sizes.unify(sizes.of(x, 0), sizes.of(other, 0));
}

void lift::addCellRules(Rules &rules) {
  rules["aten.gru_cell"] = {rowsOfCell, liftGruCell};
  rules["aten.lstm_cell"] = {rowsOfCell, liftLstmCell};
}
