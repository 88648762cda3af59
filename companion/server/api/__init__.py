"""How a route is declared, described and answered; pages and their files."""
