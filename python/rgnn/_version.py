"""The version of RGNN: CMake and the packages read it here."""

__version__ = "0.1.0"


def check(extension) -> None:
    """Raises ImportError where an extension is of another version, as after two packages wrote to one environment."""
    found = getattr(extension, "__version__", "before 0.1.0")
    if found != __version__:
        raise ImportError(f"expected {extension.__name__} of version {__version__}, got {found} at "
                          f"{extension.__file__}: an environment has one of the packages rgnn and rgnn-runtime; remove "
                          "both and install one")  # fmt: skip
