"""Candidate cards in a picture: YOLO boxes and outlines, network crops, card backs."""
