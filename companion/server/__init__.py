"""What people touch: pages, JSON API, live stream."""
