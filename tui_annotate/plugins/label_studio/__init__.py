"""Reading of Label Studio's tasks and flat rows, shared by its own format and by tables."""
