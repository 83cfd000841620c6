"""Operators of users: what they promise, how they run, and what stands for them in captures."""
