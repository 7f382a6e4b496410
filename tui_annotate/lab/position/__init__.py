"""Position studies: how the position of a fact in a prompt affects a model's answers."""
