"""Accounts in files: as we write them, and as Mercury stores them."""
