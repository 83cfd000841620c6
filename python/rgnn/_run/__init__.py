"""What runs compiled code, made in this process or loaded from a file: neither the compiler nor PyG is needed."""
