"""Opening of saved modules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _rgnn_runtime import LoadError as RuntimeLoadError
from _rgnn_runtime import Model

from .._errors import InputError, LoadError


@contextmanager
def opened(path: str | os.PathLike) -> Iterator[Model]:
    """The archive at ``path``; what is wrong with what is read of it in the block names the file.

    Raises:
        LoadError: the file is no saved module, is damaged, or its manifest does not hold what it should.
        FileNotFoundError: there is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"expected a saved module at '{path}', got no file")
    try:
        yield Model(str(path))
    except InputError:
        raise
    except (RuntimeLoadError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        text = str(error) if isinstance(error, (RuntimeLoadError, ValueError)) else repr(error)
        raise LoadError(text if str(path) in text else f"'{path}': {text}") from error
