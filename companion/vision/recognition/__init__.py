"""From boxes to named cards: readers, outlines, occluded cards, mirrored and tilted pictures."""
