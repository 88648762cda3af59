"""The running match: observations in, rulings and corrections out, persistence."""
