"""What gives answers and sentences scores."""
