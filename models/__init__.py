"""The shipped weights, and the training, fitting and evaluation of networks."""
