//===- CheckOps.td - ops by which tests verify themselves ------*- tablegen -*-===//

#ifndef RGNN_DIALECT_CHECK_IR_CHECKOPS
#define RGNN_DIALECT_CHECK_IR_CHECKOPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::mlir::rgnn::check";
  let summary = "expectations about values, for tests only";
  let description = [{
    The reference interpreter evaluates these ops and fails where an expectation
    does not hold, so that a test states its expected values beside the program
    that computes them. Nothing else knows the dialect.
  }];
}

class Check_Op<string mnemonic, list<Trait> traits = []> : Op<Check_Dialect, mnemonic, traits>;

def Check_Value : AnyTypeOf<[RankedTensorOf<[AnyFloat, AnySignlessInteger, Index]>, AnyFloat, AnySignlessInteger, Index]>;

def Check_ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const"> {
  let summary = "expects known values";
  let description = [{
    Shapes must be equal and every element must satisfy
    `|got - expected| <= tolerance * max(1, |expected|)`; NaN equals NaN, and an
    infinity only itself. A scalar is compared with a tensor of rank 0.

    (C1) `expected` holds numbers.
    (C2) `tolerance` is not negative.

    Example:

    ```mlir
    check.expect_almost_eq_const %s, dense<[[3.0], [0.0]]> : tensor<2x1xf64> : tensor<?x1xf32, #rgnn.rows<node, @g0>>
    ```
  }];
  let arguments = (ins Check_Value:$value, ElementsAttr:$expected, DefaultValuedAttr<F64Attr, "1e-6">:$tolerance);
  let assemblyFormat = "$value `,` $expected (`within` $tolerance^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Check_ExpectAlmostEqOp : Check_Op<"expect_almost_eq"> {
  let summary = "expects two values to be equal";
  let description = [{
    As `check.expect_almost_eq_const`, with the second operand as what is expected.

    (C1) `tolerance` is not negative.

    Example:

    ```mlir
    check.expect_almost_eq %a, %b within 1.0e-12 : tensor<?x1xf32>, tensor<?x1xf32>
    ```
  }];
  let arguments = (ins Check_Value:$value, Check_Value:$expected, DefaultValuedAttr<F64Attr, "1e-6">:$tolerance);
  let assemblyFormat = "$value `,` $expected (`within` $tolerance^)? attr-dict `:` type($value) `,` type($expected)";
  let hasVerifier = 1;
}

#endif // RGNN_DIALECT_CHECK_IR_CHECKOPS
