"""What machines said of samples: runs, their scores, and the orders that these give the queue."""
