"""Fits of small models to the readings of exported networks: logistic regressions and temperatures."""
