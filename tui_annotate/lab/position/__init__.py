"""Position studies: rows made, put to a model, scored and counted by where the answer stands."""
