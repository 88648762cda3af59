"""What the server answers: the API's routes with what they take and give, its description, and the pages."""
