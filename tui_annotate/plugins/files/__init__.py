"""Reading and writing of bytes, text and JSON values, shared by all file formats."""
