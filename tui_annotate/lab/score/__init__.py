"""Machine scores of answers and sentences, and their comparison with human labels."""
