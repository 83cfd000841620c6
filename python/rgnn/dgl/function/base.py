"""What messages and reductions by name have in common."""


class BuiltinFunction:
    """A message or a reduction by name, which reads and writes features by theirs.

    Attributes:
        name: such as ``"u_mul_e"`` or ``"sum"``.
    """

    name = ""

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items() if key.endswith("field"))
        return f"{self.name}({fields})"
