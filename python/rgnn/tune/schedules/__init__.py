"""Schedules of kernels and layouts as data to learn from: spaces, search, measurements and files.

``python -m rgnn.tune schedules`` collects, ``python -m rgnn.tune rank`` learns from what is collected.
"""
