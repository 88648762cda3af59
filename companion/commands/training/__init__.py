"""The steps of `companion train`."""
