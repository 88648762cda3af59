"""Image processing without networks: motion, background, stabilisation, white balance, restoration."""
