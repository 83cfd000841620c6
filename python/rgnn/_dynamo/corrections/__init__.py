"""Where TorchDynamo, without more, would compute something else than Python does."""
