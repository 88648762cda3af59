"""The embedding: a small network that turns a crop of any card art into a vector. Needs the `train` extra."""
