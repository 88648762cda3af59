"""Accuracy of exported networks on labelled pictures and on hands."""
