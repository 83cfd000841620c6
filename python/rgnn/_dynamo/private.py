# ruff: noqa: F401
"""Names of PyTorch that are not public. All that RGNN's capture uses stand here; without them models run in PyTorch."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import torch

from .._capture.eager import VERSION

FIRST, LAST = (2, 12), (2, 14)
"""Versions of PyTorch that captures were tested with. Another one may have all the names, and mean something else by
one."""

try:
    if not FIRST <= VERSION <= LAST:
        raise ImportError(f"expected PyTorch {FIRST[0]}.{FIRST[1]} to {LAST[0]}.{LAST[1]}, got {torch.__version__}")
    import torch._dynamo as dynamo
    import torch._meta_registrations as meta_registrations
    import torch.fx.experimental._config as shape_config
    import torch.fx.experimental.proxy_tensor as proxy_tensor
    import torch.fx.experimental.symbolic_shapes as symbolic_shapes
    from torch._dispatch.python import enable_python_dispatcher
    from torch._dynamo import config as dynamo_config
    from torch._dynamo import eval_frame
    from torch._dynamo import utils as dynamo_utils
    from torch._dynamo.convert_frame import compile_lock
    from torch._dynamo.eval_frame import cached_backends, innermost_backend
    from torch._dynamo.exc import ObservedAttributeError, TorchRuntimeError, Unsupported, UserError
    from torch._dynamo.guards import GuardBuilder, install_guard
    from torch._dynamo.guards import get_guard_fail_reason as guard_failure
    from torch._dynamo.side_effects import SideEffects
    from torch._dynamo.source import AttrSource, TensorProperty, TensorPropertySource
    from torch._dynamo.symbolic_convert import InliningInstructionTranslator, InstructionTranslator
    from torch._dynamo.symbolic_convert import _detect_and_normalize_assert_statement as normalize_assertion
    from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy
    from torch._dynamo.variables import DeletedVariable, SymNodeVariable, TensorVariable, builder, functions, lists
    from torch._dynamo.variables.base import AttributeMutationNew, ValueMutationNew, VariableTracker
    from torch._dynamo.variables.builder import SourcelessBuilder, VariableBuilder
    from torch._dynamo.variables.constant import ConstantVariable
    from torch._dynamo.variables.dicts import ConstDictVariable, DunderDictVariable, SideEffectsProxyDict
    from torch._dynamo.variables.functions import SkipFunctionVariable, UserFunctionVariable
    from torch._dynamo.variables.misc import DebuggingVariable, SuperVariable
    from torch._dynamo.variables.torch import get_overridable_functions
    from torch._dynamo.variables.user_defined import UserDefinedObjectVariable
    from torch._functorch._aot_autograd.functional_utils import from_fun, to_fun
    from torch._guards import TracingContext
    from torch._subclasses import fake_impls, fake_tensor
    from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
    from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
    from torch.fx import _symbolic_trace as symbolic_trace
    from torch.fx._lazy_graph_module import _LazyGraphModule as LazyGraphModule
    from torch.fx.experimental.proxy_tensor import maybe_enable_thunkify
    from torch.fx.experimental.symbolic_shapes import (
        DimDynamic,
        GuardOnDataDependentSymNode,
        ShapeEnv,
        StatelessSymbolicContext,
        free_unbacked_symbols,
    )
    from torch.fx.traceback import preserve_node_meta
    from torch.utils._sympy.functions import Max, Min
    from torch.utils._sympy.symbol import SymT

    # Where versions differ: captures are kept for each optimize() apart since 2.13; before, a property is an object as
    # of a user's class; and what reads attributes of a parent has another name since 2.14.
    captures_of_region = getattr(eval_frame, "_get_cache_entries_for_region", None)
    APART = {} if captures_of_region is None else {"isolate_recompiles": True}
    PROPERTY, PROPERTY_FIELD = ((functions.PropertyVariable, "descriptor") if hasattr(functions, "PropertyVariable")
                                else (UserDefinedObjectVariable, "value"))  # fmt: skip
    ATTRIBUTE_OF = "var_getattr" if hasattr(SuperVariable, "var_getattr") else "tp_getattro_impl"

    for _owner, _name in ((symbolic_shapes, "make_symbol"), (symbolic_shapes, "_guard_or"),
                          (proxy_tensor, "_extract_tensor_metadata"), (meta_registrations, "_scatter_meta_output"),
                          (dynamo_utils, "counters"),
                          (symbolic_trace, "is_fx_symbolic_tracing"),
                          (torch, "_functionalize_mutation_counter"), (torch, "_functionalize_storage_changed_counter"),
                          (torch, "_functionalize_inductor_storage_resized_counter"), (ShapeEnv, "evaluate_expr"),
                          (ShapeEnv, "_compute_symbolic_stride"), (ShapeEnv, "produce_guards_verbose"),
                          (symbolic_shapes, "uninteresting_files"), (ShapeEnv, "_set_replacement"),
                          (ShapeEnv, "create_symbol"), (TensorProperty, "STORAGE_OFFSET"),
                          (TensorPropertySource, "reconstruct"),
                          (VariableBuilder, "wrap_symint"), (VariableBuilder, "wrap_listlike"),
                          (VariableBuilder, "_id_dispatch"), (InstructionTranslator, "dispatch_table"),
                          (InstructionTranslator, "current_tx"), (TensorVariable, "method_stride"),
                          (SideEffects, "store_attr"), (SuperVariable, ATTRIBUTE_OF),
                          (UserDefinedObjectVariable, ATTRIBUTE_OF),
                          (ConstDictVariable, "getitem_const_raise_exception_if_absent"),
                          (DunderDictVariable, "install_dict_contains_guard"),
                          (DunderDictVariable, "install_dict_keys_match_guard"),
                          (SideEffectsProxyDict, "get_example_value_dict"),
                          (DebuggingVariable, "can_reorder_logs"),
                          (DebuggingVariable, "call_function"), (SkipFunctionVariable, "call_function"),
                          (LazyGraphModule, "force_recompile"),
                          (lists, "iter_contains"), (builder, "_automatic_dynamic"),
                          (shape_config, "patch"), (dynamo_config, "patch"),
                          (dynamo_utils, "run_node"), (shape_config, "backed_size_oblivious"),
                          (shape_config, "use_duck_shape"),
                          (dynamo_config, "assume_static_by_default"), (dynamo, "optimize")):  # fmt: skip
        if not hasattr(_owner, _name):
            raise ImportError(f"{_owner.__name__} has no {_name}")
except (ImportError, AttributeError) as error:
    missing: str | None = f"this PyTorch is not one that RGNN captures with: {error}"
else:
    missing = None
    NEW = AttributeMutationNew, ValueMutationNew
    SKIP_CALL = FrameExecStrategy(FrameAction.SKIP, FrameAction.SKIP)
    RUN_CALL = FrameExecStrategy(FrameAction.RUN_ONLY, FrameAction.RUN_ONLY)
    SKIP_FRAME = FrameExecStrategy(FrameAction.SKIP, FrameAction.DEFAULT)  # what it calls is captured
"""Why nothing can be captured; None where all is there."""


def captures_of(code: CodeType, callback: Any) -> list[Any]:
    """TorchDynamo's captures of a code that are for a callback, newest first."""
    if captures_of_region is not None:
        return captures_of_region(code, eval_frame.get_eval_frame_isolate_recompiles_id())
    backend = innermost_backend(callback)
    return [each for each in eval_frame._debug_get_cache_entry_list(code) if each.backend is backend]


def function_of(module: torch.fx.GraphModule) -> Callable:
    """What a graph computes, without the module's call, which prints where in the graph it fails."""
    LazyGraphModule.force_recompile(module)
    return module.forward


def failures() -> int:
    """How many frames TorchDynamo has failed on, without an error; those that it leaves to PyTorch by rule are none."""
    frames = dynamo_utils.counters["frames"]
    return frames["total"] - frames["ok"]


@contextlib.contextmanager
def before_strides(note: Callable[[], None]) -> Iterator[None]:
    """Calls a function where a capture meets ``x.stride()``, a method that has been an entry of a table since 2.14."""
    table = getattr(TensorVariable, "tp_methods", {})
    is_entry = "stride" in table
    stock = table["stride"] if is_entry else TensorVariable.method_stride

    def stride(*args: Any, **kwargs: Any) -> Any:
        note()
        return stock(*args, **kwargs)

    def put(method: Any) -> None:
        if is_entry:
            table["stride"] = method
        else:
            TensorVariable.method_stride = method

    put(stride)
    try:
        yield
    finally:
        put(stock)


def without_functionalize() -> Any:
    """While PyTorch's functional tensors in Python do what its dispatcher would."""
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.Functionalize))
