//===- BufferizableOpInterfaceImpl.h - kernels on buffers -------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define RGNN_DIALECT_HETKERNEL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::hetkernel {

/// Teaches upstream's one-shot bufferisation the kernels: they write into the
/// buffers of their `outs`, and read everything else in place.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
