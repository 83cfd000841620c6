"""Configurations of a module ranked by a network (TGraph): data, network, training and metrics."""
