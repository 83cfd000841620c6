"""``python -m rgnn.explain`` writes the page of a model; see :mod:`rgnn._page.shell`."""

import sys

if __name__ == "__main__":
    from ._page.shell import main

    sys.exit(main())

# Whoever imports this by its name gets what `rgnn.explain` is: the import system sets the attribute to what is here.
from ._explain import explain  # noqa: E402

sys.modules[__name__] = explain  # type: ignore[assignment]
