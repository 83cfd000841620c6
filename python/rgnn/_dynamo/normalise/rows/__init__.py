"""Rewrites of what picks, sets, reduces and moves rows."""
