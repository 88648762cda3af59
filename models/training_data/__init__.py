"""What networks are trained on: crops and views of drawn scenes, drawn meanwhile by worker processes."""
