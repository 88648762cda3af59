"""Speed and resources: how fast the parts are, and what they cost."""
