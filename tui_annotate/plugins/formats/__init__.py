"""One module or folder a format, reading and writing together; none knows another."""
