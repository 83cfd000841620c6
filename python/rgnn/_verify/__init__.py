"""Runs PyTorch beside compiled code, and says where they differ."""
