//===- TensorCores.cpp - products of fragments that a warp holds ----------===//
//
// The layouts are those of the PTX ISA, "Matrix Fragments for mma.m16n8k*" and
// "ldmatrix": a register of 32 bits holds `pack` neighbours of a row of A or a
// column of B, and lane 4 g + t those at row or column g, from t * pack on.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "MemRefAccess.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::simulator;

static LogicalResult checkFullWarp(ArrayRef<Thread *> lanes, Operation *op) {
  if (lanes.size() == Thread::kWarp)
    return success();
  return fail(*lanes.front(), op,
              "expected a warp of 32 threads, got " + Twine(lanes.size()));
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {

/// A product of 16 x k by k x 8.
struct Product {
  /// Elements of A, B and C that a lane holds.
  int64_t getNumA() const { return k / 2; }
  int64_t getNumB() const { return k / 4; }
  static constexpr int64_t kNumC = 4;

  // Row and column of element `i` of a lane.
  std::pair<int64_t, int64_t> placeA(int64_t lane, int64_t i) const {
    int64_t part = i / pack;
    return {lane / 4 + 8 * (part % 2),
            lane % 4 * pack + i % pack + 4 * pack * (part / 2)};
  }
  std::pair<int64_t, int64_t> placeB(int64_t lane, int64_t i) const {
    return {lane % 4 * pack + i % pack + 4 * pack * (i / pack), lane / 4};
  }
  static std::pair<int64_t, int64_t> placeC(int64_t lane, int64_t i) {
    return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
  }

  /// What the hardware multiplies: of an f32 only the bits of a TF32.
  double read(Word word) const {
    if (element.isF32())
      word &= ~Word(0x1fff);
    return withFormat(element,
                      [&](auto format) -> double { return format.read(word); });
  }

  int64_t k, pack;
  Type element, sum;
};

} // namespace

static void multiply(const Product &product, ArrayRef<Thread *> lanes,
                     unsigned a, unsigned b, unsigned c, unsigned result) {
  SmallVector<double> rows(16 * product.k), columns(product.k * 8);
  for (auto [number, lane] : llvm::enumerate(lanes)) {
    for (int64_t i = 0; i < product.getNumA(); ++i) {
      auto [row, k] = product.placeA(number, i);
      rows[row * product.k + k] = product.read(lane->at(a + i));
    }
    for (int64_t i = 0; i < product.getNumB(); ++i) {
      auto [k, column] = product.placeB(number, i);
      columns[k * 8 + column] = product.read(lane->at(b + i));
    }
  }
  withFormat(product.sum, [&](auto format) {
    for (auto [number, lane] : llvm::enumerate(lanes))
      for (int64_t i = 0; i < Product::kNumC; ++i) {
        auto [row, column] = Product::placeC(number, i);
        double sum = format.read(lane->at(c + i));
        for (int64_t k = 0; k < product.k; ++k)
          sum += rows[row * product.k + k] * columns[k * 8 + column];
        lane->at(result + i) = format.write(sum);
      }
  });
}

/// The nearest TF32 of an f32, of two the one with the larger magnitude.
static LogicalResult translateRound(Translator &translator,
                                    NVVM::ConvertFloatToTF32Op op) {
  if (op.getRnd() != NVVM::FPRoundingMode::RNA || op.getRelu() ||
      op.getSat() != NVVM::SaturationMode::NONE)
    return op.emitOpError("the simulator does not know this conversion: "
                          "expected rounding to the nearest, away from zero");
  emitUnary(translator, op, [](Word bits) {
    constexpr Word exponent = 0x7f800000, dropped = 0x1fff;
    bool isFinite = (bits & exponent) != exponent;
    return isFinite ? (bits + (dropped + 1) / 2) & ~dropped : bits;
  });
  return success();
}

static LogicalResult translateMma(Translator &translator, nvgpu::MmaSyncOp op) {
  auto aType = cast<VectorType>(op.getMatrixA().getType()),
       bType = cast<VectorType>(op.getMatrixB().getType()),
       cType = cast<VectorType>(op.getMatrixC().getType());
  Type element = aType.getElementType(), sum = cType.getElementType();
  std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
  bool isTF32 = element.isF32() && op.getTf32Enabled().value_or(false);
  bool isHalf = element.isF16() || element.isBF16();
  if (shape[0] != 16 || shape[1] != 8 || !(isTF32 || isHalf) ||
      !(sum.isF32() || (sum.isF16() && element.isF16())))
    return op.emitOpError("the simulator does not know this product: expected "
                          "m16n8 of tf32, f16 or bf16");
  Product product{shape[2], 32 / element.getIntOrFloatBitWidth(), element, sum};
  if (aType.getNumElements() != product.getNumA() ||
      bType.getNumElements() != product.getNumB() ||
      cType.getNumElements() != Product::kNumC)
    return op.emitOpError("expected fragments of ")
           << product.getNumA() << ", " << product.getNumB() << " and "
           << Product::kNumC << " elements, got " << aType << ", " << bType
           << " and " << cType;
  unsigned a = translator.getSlot(op.getMatrixA()),
           b = translator.getSlot(op.getMatrixB()),
           c = translator.getSlot(op.getMatrixC()),
           result = translator.define(op.getRes());
  translator.emitCollective(
      op, {/*isOfBlock=*/false, nullptr, [=](ArrayRef<Thread *> lanes) {
             if (failed(checkFullWarp(lanes, op)))
               return failure();
             multiply(product, lanes, a, b, c, result);
             return success();
           }});
  return success();
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// Lanes 8 m to 8 m + 7 say where the rows, of 16 bytes each, of matrix m are.
static LogicalResult translateLdMatrix(Translator &translator,
                                       nvgpu::LdMatrixOp op) {
  MemRefRegisters memref = translator.getMemRef(op.getSrcMemref());
  SmallVector<unsigned> indices = translator.getSlots(op.getIndices());
  int64_t size = getBytes(memref.element), pack = 4 / size, row = 16 / size;
  int64_t matrices = op.getNumTiles();
  bool isTransposed = op.getTranspose();
  if (size > 4 || (isTransposed && size != 2))
    return op.emitOpError("the simulator does not know matrices of ")
           << memref.element << (isTransposed ? " transposed" : "");
  unsigned result = translator.define(op.getRes());
  auto load = [=](ArrayRef<Thread *> lanes) -> LogicalResult {
    if (failed(checkFullWarp(lanes, op)))
      return failure();
    SmallVector<Word> words(matrices * 8 * row);
    for (int64_t i = 0; i < matrices * 8; ++i) {
      FailureOr<int64_t> begin =
          locate(*lanes[i], op, memref, getInts(*lanes[i], indices), row);
      if (failed(begin) || failed(checkAlignment(*lanes[i], op, *begin, 16)) ||
          failed(readElements(*lanes[i], op, memref, *begin, row,
                              &words[i * row])))
        return failure();
    }
    for (auto [number, lane] : llvm::enumerate(lanes))
      for (int64_t i = 0; i < matrices * pack; ++i) {
        int64_t line = number / 4, column = number % 4 * pack + i % pack;
        if (isTransposed)
          std::swap(line, column);
        lane->at(result + i) = words[(i / pack * 8 + line) * row + column];
      }
    return success();
  };
  translator.emitCollective(op, {/*isOfBlock=*/false, nullptr, load});
  return success();
}

void simulator::addTensorCoreOps(OpTable &table) {
  table.add<NVVM::ConvertFloatToTF32Op>(translateRound);
  table.add<nvgpu::MmaSyncOp>(translateMma);
  table.add<nvgpu::LdMatrixOp>(translateLdMatrix);
}
