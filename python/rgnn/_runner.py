"""The call of a compiled model: which code runs it, and what is said where that is PyTorch's."""

from __future__ import annotations

import contextlib
import copy
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from traceback import walk_tb
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy
from torch_geometric.nn import MessagePassing

from ._attribute_sync import AttributeSync
from ._dynamo import private
from ._dynamo.backend import Backend
from ._dynamo.frames import REFUSALS, Captures, describe, optimize
from ._dynamo.version import Version
from ._errors import CompileError, FallbackError, InputError, RGNNError, joined
from ._frozen import check_attributes, check_modes, freeze_function, freeze_module
from ._function import GLOBAL_HOOKS, argument_names, explains, forward_of, hooks
from ._options import Options
from ._preserve import copied, preserved
from ._recorded_calls import FullGraphCall, RecordedCall, make_calls
from ._run.autocast import autocast_dtype
from ._run.modes import is_plain
from ._sparse import give_back, given_back, hand_over, handed_over, matrices_of
from ._sparse.creation import MatrixMadeError
from ._sparse.matrix import NoRuleError
from ._verify.call import is_eager
from ._verify.verifier import Verifier
from ._warning import warn

_TOLD = 4  # reasons that a warning names


class Runner:
    """The call of a compiled model.

    Attributes:
        backend: what was compiled.
        fallbacks: of calls that nothing is compiled for, why.
        calls: those that something was compiled for, without their data.
        captures: what is known of the captures of the model.
    """

    def __init__(
        self, model: nn.Module, options: Options, target: str | None, fullgraph: bool, verifying: tuple[int, bool],
        original: nn.Module | None = None, function: Callable | None = None,
    ):  # fmt: skip
        self.options, self.target, self.fullgraph = options, target, fullgraph
        self._sync = AttributeSync(model, original)
        self._outer = runner_of(original)  # of an original that is compiled itself
        self.backend = Backend(options, target, fullgraph, () if function else argument_names(model))
        self.fallbacks: dict[Any, str] = {}
        self.calls: list[RecordedCall] = []
        self._has_warned = False
        self._makes_matrices = self._keeps_matrices = False
        self._told: set[Any] = set()  # calls of which it was said that they run in PyTorch
        self.captures = Captures()
        self._verifier = Verifier(*verifying) if verifying[0] else None
        if self._verifier is not None:
            self.captures.on_miss, self.backend.watch = self._verifier.remember, self._verifier.note
        self._function = function
        self._optimize()
        self._watch()

    def _optimize(self) -> None:
        if private.missing:
            return
        self._forward = vars(self.model).get("forward")
        self._optimized = optimize(self.plain, self.backend, self.fullgraph, self.captures)
        self._optimized_whole: Callable | None = None

    @property
    def model(self) -> nn.Module:
        """The module whose code runs."""
        return self._sync.model

    @property
    def plain(self) -> Callable:
        """What a call runs in PyTorch."""
        return self._function or forward_of(self.model)

    def make_calls(self, purpose: str) -> list[FullGraphCall]:
        """The calls that were made of the model, as it is now, as code that runs without TorchDynamo.

        Raises:
            CompileError: there were none, or they have no such code; ``purpose`` is what it cannot be: ``"saved"``.
        """
        self.follow_original()
        if not self.calls:
            reason = next(iter(self.fallbacks.values()), None)
            got = "one that was not called as it is now" if reason is None else f"one that runs in PyTorch: {reason}"
            raise CompileError(f"cannot be {purpose}: expected a model that is compiled, got {got}")
        try:
            return make_calls(self.model, self.plain, self.calls, self.options, self.target)
        except FallbackError as error:
            raise CompileError(f"cannot be {purpose}: {error}") from error

    def freeze(self) -> Any:
        """See ``freeze`` of a compiled model."""
        check_attributes(self.versions)
        calls = self.make_calls("frozen")
        check_modes(calls)
        if self._function is not None:
            return freeze_function(self._function, self.model, calls)
        return freeze_module(copy.copy(self.model), calls)

    def _watch(self) -> None:
        """Notes what a call is to look at that TorchDynamo does not."""
        self._modules = list(self.model.modules())
        self._matrices = matrices_of(self._modules)
        self._hooks = (*GLOBAL_HOOKS, *(found for module in self._modules for found in hooks(module)))
        self._layers = [module for module in self._modules if isinstance(module, MessagePassing)]

    @property
    def versions(self) -> list[Version]:
        """What each captured graph became."""
        return self.backend.versions

    @torch.compiler.disable(reason="rgnn: a compiled model runs code of its own, which torch.compile cannot look into: "
                                   "leave fullgraph out, or compile one of the two")
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_eager():
            return self._run_in_pytorch(args, kwargs)
        self.follow_original()
        self.backend.begin_call()
        if any(self._hooks) or explains(self._layers):
            if not self._is_lazy():  # its hooks make the parameters, and go
                self._warn_once(self._describe_hooks())
            return self._run_in_pytorch(args, kwargs)
        if not is_plain():
            return self._run_in_pytorch(args, kwargs)
        if private.missing:
            self._warn_once(private.missing)
            return self._run_in_pytorch(args, kwargs)
        if self.fallbacks and _signature(self.model, args, kwargs) in self.fallbacks:
            return self._run_in_pytorch(args, kwargs)
        return self._run(args, kwargs)

    def _warn_once(self, reason: str) -> None:
        """Says why all calls run in PyTorch for now."""
        if self._has_warned:
            return
        self._has_warned = True
        if self.fullgraph:
            raise FallbackError(reason)
        warn(f"rgnn: the model runs in PyTorch: {reason}")

    def _is_lazy(self) -> bool:
        return any(map(is_lazy, self.model.parameters())) if isinstance(self.model, nn.Module) else False

    def _describe_hooks(self) -> str:
        if not any(self._hooks):
            return "it is explained, which PyG does in PyTorch"
        names = (name or "model" for name, module in self.model.named_modules() if any(hooks(module)))
        return f"{next(names, 'modules')}: it has hooks, which compiled code would not call"

    def _run(self, args: tuple, kwargs: dict) -> Any:
        if self._verifier is not None:
            return self._verifier.call(self, self._run_compiled, self._run_in_pytorch, args, kwargs)
        return self._run_compiled(args, kwargs)

    def _run_compiled(self, args: tuple, kwargs: dict) -> Any:
        handed = hand_over(args, kwargs)
        if handed is not None or self._matrices or self._makes_matrices:
            return self._run_with_matrices(args, kwargs, *(handed or (args, kwargs)))
        if self._function is None and vars(self.model).get("forward") is not self._forward:
            self._optimize()  # another forward was put on the object
        versions, reasons = self.backend.versions, self.captures.skipped
        made, skipped = len(versions), len(reasons)
        self.captures.failed.clear()
        try:
            result = self._optimized(*args, **kwargs)
        except REFUSALS as error:
            if not self.fullgraph:
                raise
            self._raise_errors_of_pytorch(args, kwargs)
            raise FallbackError(describe(error)) from error
        except MatrixMadeError:
            self._makes_matrices = True
            return self._run_with_matrices(args, kwargs, args, kwargs)
        except FallbackError:
            self._raise_errors_of_pytorch(args, kwargs)
            raise
        except Exception as error:
            if self.fullgraph and len(reasons) > skipped and "found no compiled frames" in str(error):
                raise FallbackError(reasons[-1]) from error
            result = self._run_where_model_catches(args, kwargs, error)
        finally:
            self.lead()
        self.captures.failures.update(self.captures.failed)
        self._tell_overflows()
        if len(versions) > made or len(reasons) > skipped:
            self._note(args, kwargs, versions[made:], reasons[skipped:])
            del reasons[:]
        return result

    def _run_with_matrices(self, args: tuple, kwargs: dict, given: tuple, named: dict) -> Any:
        """A call with sparse matrices, for which others stand: only a single graph can be made of it."""
        if self._optimized_whole is None:
            self._optimized_whole = optimize(self.plain, self.backend, True, self.captures)
        versions, reasons = self.backend.versions, self.captures.skipped
        made = len(versions)
        try:
            with handed_over(self._matrices):
                result = given_back(self._optimized_whole(*given, **named))
            if self._keeps_matrices or len(versions) > made:
                self._keeps_matrices |= give_back(self.model.modules())
        except (*REFUSALS, FallbackError, NoRuleError) as error:
            why = describe(error)
        except Exception as error:
            if not reasons or "found no compiled frames" not in str(error):
                return self._run_where_model_catches(args, kwargs, error)
            why = reasons[-1]
        else:
            self._tell_overflows()
            if len(versions) > made:
                self._note(args, kwargs, versions[made:], [])
            return result
        finally:
            self.lead()
            del reasons[:]
        if self.fullgraph:
            self._raise_errors_of_pytorch(args, kwargs)
            raise FallbackError(why)
        if given is args and not self._matrices:  # what it makes is made by PyTorch, and what is around it compiled
            self._makes_matrices, self.captures.leaves_matrices = False, True
            return self._run_compiled(args, kwargs)
        result = self._run_in_pytorch(args, kwargs)
        held = len(self._matrices)
        self._watch()
        if len(self._matrices) == held:  # otherwise it keeps one from now on, and makes none
            self.fallbacks[_signature(self.model, args, kwargs)] = why
            warn(f"rgnn: the model runs in PyTorch: {why}")
        return result

    def _tell_overflows(self) -> None:
        while self.captures.overflows:
            warn(f"rgnn: {self.captures.overflows.pop(0)}")

    def follow_original(self) -> None:
        """Takes over what was set on the model that was compiled."""
        if self._outer is not None:
            self._outer.follow_original()
        if self._sync.follow():
            self._optimize()

    def lead(self) -> None:
        """Gives the compiled model what a call left on the original, where that is the one that runs."""
        self._sync.lead()

    def _note(self, args: tuple, kwargs: dict, versions: list[Version], skipped: list[str]) -> None:
        """Says what runs in PyTorch of a call that something was captured for."""
        self._watch()
        breaks = [f"{version.broken[1]}: graph break: {version.broken[0]}" for version in versions if version.broken]
        reasons = [": ".join(filter(None, (where, op, reason))) for version in versions
                   for op, reason, where in version.fallbacks]  # fmt: skip
        reasons = list(dict.fromkeys([*breaks, *skipped, *reasons]))
        known = self.backend.versions
        is_broken = any(version.broken for version in known)  # what was captured is a part, and others may be compiled
        if not any(version.regions for version in (known if is_broken else versions)):
            reason = reasons[0] if reasons else "it computes nothing of tensors"
            key = _signature(self.model, args, kwargs)
            if skipped and not self.captures.is_lenient and not self.backend.versions:
                self.captures.is_lenient = True  # PyTorch runs the frame: from now on parts of it may be captured
            elif not any(version.branches for version in versions):  # other ways through the model may be compiled
                self.fallbacks[key] = reason
            if key not in self._told:
                self._told.add(key)
                ways = "; ".join(dict.fromkeys(way for version in versions for way in version.branches))
                warn(f"rgnn: the model runs in PyTorch{f' where branches are {ways}' if ways else ''}: {reason}")
            return
        self.calls.append(RecordedCall(self.model, args, kwargs))
        if reasons:
            others = f"; and {len(reasons) - _TOLD} more, which rgnn.explain lists" if len(reasons) > _TOLD else ""
            warn(f"rgnn: a part of the model runs in PyTorch: {'; '.join(reasons[:_TOLD])}{others}")

    def _raise_errors_of_pytorch(self, args: tuple, kwargs: dict) -> None:
        """Raises the model's own error, if it has one; a refused call leaves model and inputs as they were."""
        args, kwargs = copied((args, kwargs))
        with preserved(self.model) if isinstance(self.model, nn.Module) else contextlib.nullcontext():
            self._run_in_pytorch(args, kwargs)

    def _run_where_model_catches(self, args: tuple, kwargs: dict, error: Exception) -> Any:
        """What the model gives in PyTorch, where it catches an error that a captured graph raised.

        Raises:
            InputError: joined to what the model raises, which may meet the input elsewhere first than a region does.
            Exception: the error, where the model raises one as well.
        """
        is_refusal = isinstance(error, InputError)
        if not is_refusal and (isinstance(error, RGNNError) or not isinstance(error, _OF_OPERATORS)
                               or not _is_of_graph(error)):  # fmt: skip
            raise error
        own, caught = None, []
        with _noted(type(error.__cause__ if is_refusal and error.__cause__ else error), caught):
            try:
                self._raise_errors_of_pytorch(args, kwargs)
            except Exception as raised:
                own = raised
        if own is None and caught:
            return self._run_in_pytorch(args, kwargs)
        try:
            if own is not None and is_refusal:
                raise joined(error, own) from own
            raise error
        finally:
            own = None  # whose traceback holds this frame

    def _run_in_pytorch(self, args: tuple, kwargs: dict) -> Any:
        return self.model._call_impl(*args, **kwargs)


def runner_of(model: Any) -> Runner | None:
    """The call of a compiled model or function; None for others."""
    if isinstance(model, nn.Module):
        return getattr(model._compiled_call_impl, "runner", None)
    return getattr(model, "runner", None)


_OF_OPERATORS = IndexError, RuntimeError, ValueError


@contextlib.contextmanager
def _noted(kind: type[Exception], found: list[bool]) -> Iterator[None]:
    """Notes errors of a class that are raised in Python meanwhile, whoever catches them."""

    def trace(frame: Any, event: str, argument: Any) -> Callable:
        if event == "exception" and issubclass(argument[0], kind):
            found.append(True)
        return trace

    held = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(held)


def _is_of_graph(error: Exception) -> bool:
    """Whether a captured graph raised it, and not the model's own code, which catches its errors there."""
    return any(frame.f_code.co_filename.startswith("<eval_with_key>") for frame, _ in walk_tb(error.__traceback__))


def _signature(model: nn.Module, args: tuple, kwargs: dict) -> Any:
    """Equal for calls that compile to the same version, of a model without hooks."""
    leaves, spec = args, None
    if kwargs or any([isinstance(arg, (tuple, list, dict)) for arg in args]):
        leaves, spec = torch.utils._pytree.tree_flatten((args, kwargs))
    return _modes(model), autocast_dtype("cpu"), autocast_dtype("cuda"), spec, tuple(map(_describe, leaves))


def _modes(model: nn.Module) -> tuple:
    """The modules of a model, and which of them train; ``modules()`` would take most of a small call."""
    found, left = {}, [model]
    while left:
        module = left.pop()
        if id(module) not in found:
            found[id(module)] = module.training
            left += [part for part in module._modules.values() if part is not None]
    return tuple(found.items())


def _describe(leaf: Any) -> Any:
    """Numbers of nodes and edges make no version: what counts are device, dtype, rank, and the width of features.

    Other objects, such as graphs and batches, are of one kind whatever sizes they have.
    """
    if not isinstance(leaf, Tensor):
        return repr(leaf) if leaf is None or isinstance(leaf, (str, bool, Enum)) else type(leaf)
    width = leaf.shape[-1] if leaf.is_floating_point() and leaf.dim() > 1 else None
    return leaf.device.type, leaf.dtype, leaf.dim(), width
