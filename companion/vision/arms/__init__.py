"""Arms that reach into the picture: segmentation, tracks, visits to a pile."""
