"""Training and fine-tuning of the detector and of the readers. Needs the `train` extra."""
