"""The front door: TorchDynamo captures a call as graphs of PyTorch's functions, and RGNN compiles what pays of each.

What Python means (state that a call reads and writes, when a capture holds, what breaks a graph) is TorchDynamo's to
say. docs/Capture.md tells how a graph becomes compiled code.
"""
