"""Reading and writing of files as bytes, text and JSON values, independent of their format."""
