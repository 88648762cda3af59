"""The readers' networks: definition, averaging, export to ONNX and import from it. Needs the `train` extra."""
