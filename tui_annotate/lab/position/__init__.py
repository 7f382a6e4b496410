"""Position studies: rows, prompts, a metric, and its evaluation by the position of the answer."""
