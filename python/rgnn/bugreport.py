"""``python -m rgnn.bugreport`` writes a report of a model that fails; see :mod:`rgnn._bugreport.shell`."""

import sys

if __name__ == "__main__":
    from ._bugreport.shell import main

    sys.exit(main())

# Whoever imports this by its name gets what `rgnn.bugreport` is, as of `rgnn.explain`.
from ._bugreport import bugreport  # noqa: E402

sys.modules[__name__] = bugreport  # type: ignore[assignment]
