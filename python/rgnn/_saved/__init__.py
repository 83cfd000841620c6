"""Saved modules: docs/ModuleFormat.md. Only ``save`` needs the compiler."""
