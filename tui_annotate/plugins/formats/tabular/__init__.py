"""Flat tables for people and data frames: CSV, parquet, workbooks; written only.

Several claims or evidence spans of an annotation give a row for each pair, under one annotation id.
Who looked at a sample and found nothing has a row without an annotation.
"""
