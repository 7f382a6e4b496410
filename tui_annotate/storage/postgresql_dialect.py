"""Lets SQLAlchemy compile the upserts of `storage` for PostgreSQL.

The statements are made with the `insert` of SQLAlchemy's dialect for SQLite: to import the one for
PostgreSQL costs 32 ms of CPU time at each start. Both render the same SQL. This module is imported
only by programs that use PostgreSQL.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects.sqlite.dml import OnConflictDoNothing, OnConflictDoUpdate
from sqlalchemy.ext.compiler import compiles


@compiles(OnConflictDoUpdate, "postgresql")
def _compile_update(clause: Any, compiler: Any, **options: Any) -> str:
    # PostgreSQL's compiler also accepts the name of a constraint, which SQLite's clause lacks.
    clause.constraint_target = None
    return str(compiler.visit_on_conflict_do_update(clause, **options))


@compiles(OnConflictDoNothing, "postgresql")
def _compile_nothing(clause: Any, compiler: Any, **options: Any) -> str:
    clause.constraint_target = None
    return str(compiler.visit_on_conflict_do_nothing(clause, **options))
