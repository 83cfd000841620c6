//===- Generator.h - numbers that look random -------------------*- C++ -*-===//

#ifndef RGNN_LIB_REFERENCE_GENERATOR_H
#define RGNN_LIB_REFERENCE_GENERATOR_H

#include <cstdint>
#include <random>

namespace mlir::rgnn::reference {

/// The same numbers on every machine, which the distributions of the standard
/// library do not promise.
class Generator {
public:
  explicit Generator(uint64_t seed) : engine(seed) {}
  /// In [0, bound); 0 if there is no such number.
  int64_t below(int64_t bound) { return bound > 0 ? engine() % bound : 0; }
  /// In [-1, 1].
  double real() {
    return static_cast<double>(engine() >> 11) / (1ull << 52) - 1;
  }

private:
  std::mt19937_64 engine;
};

} // namespace mlir::rgnn::reference

#endif // RGNN_LIB_REFERENCE_GENERATOR_H
