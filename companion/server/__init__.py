"""The web server: pages, JSON API and live event stream."""
