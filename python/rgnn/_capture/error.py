"""The error of a capture that is not possible."""


class CaptureError(Exception):
    """A model could not be captured; the text says why."""
