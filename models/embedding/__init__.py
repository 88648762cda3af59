"""Embeddings: small networks that turn crops of any card art into vectors. Needs the `train` extra."""
