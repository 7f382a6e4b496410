"""The draft of whoever looks at a file: nothing that any key does in it writes."""
