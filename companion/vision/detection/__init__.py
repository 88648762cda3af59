"""Candidate cards in a picture: YOLO boxes, contour proposals, network crops, card backs."""
