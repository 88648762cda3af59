"""Routes for the table: setting up, playing, the camera, hands, rules and the live stream."""
