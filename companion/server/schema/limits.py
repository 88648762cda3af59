"""Size limits of requests, in bytes, and how many pictures one request may carry."""

JSON_LIMIT = 64 * 1024
PICTURE_LIMIT = 12 * 1024 * 1024
FRAME_LIMIT = 4 * 1024 * 1024
"""One frame of a phone's camera: the pages send a tenth of that."""
BACKUP_LIMIT = 64 * 1024 * 1024
"""A backup restored in the browser; `companion restore` has no limit."""
PICTURE_TYPES = ("image/jpeg", "image/png", "image/webp")
MOST_PICTURES = 6
