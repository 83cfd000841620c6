"""How sizes and integers of a call are captured: as symbols where they differ from call to call, 0 and 1 included."""

from .constants import constants_fixed
from .layouts import leave_layouts_unasked
from .reading import layouts_unasked, read_directly
from .symbols import symbolic
from .thread import of_this_thread, traces_apart

__all__ = [
    "constants_fixed",
    "layouts_unasked",
    "leave_layouts_unasked",
    "of_this_thread",
    "read_directly",
    "symbolic",
    "traces_apart",
]
