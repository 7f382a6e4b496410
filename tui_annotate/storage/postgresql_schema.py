"""What a workspace's schema in PostgreSQL needs in addition to its tables.

The statements of `storage` are the same for SQLite and PostgreSQL. For this, the schema defines the
functions of SQLite that they call and PostgreSQL does not have. Unqualified names lead to this
schema, because it is the connection's `search_path`.
"""

from __future__ import annotations

from typing import Final

_JSON_DOCUMENT: Final = """\
CREATE FUNCTION json_document(document text) RETURNS json
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT CASE WHEN document ~ '\\\\u(0000|[dD][89a-fA-F])' THEN
    regexp_replace(regexp_replace(document,
      '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89abAB][0-9a-fA-F]{2}(?!\\\\u[dD][c-fC-F]))',
      '\\1\\\\ufffd', 'g'),
      '(?<!\\\\)((?:\\\\\\\\)*)(?<!\\\\u[dD][89abAB][0-9a-fA-F]{2})\\\\u[dD][c-fC-F][0-9a-fA-F]{2}',
      '\\1\\\\ufffd', 'g')::json
    ELSE document::json END
$function$"""
"""Parses JSON; PostgreSQL refuses escaped halves of characters and NULs, which become U+FFFD."""

_JSON_AT: Final = """\
CREATE FUNCTION json_at(document text, path text) RETURNS json
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT json_document(document) #> string_to_array(
    ltrim(regexp_replace(substr(path, 2), '\\[(\\d+)\\]', '.\\1', 'g'), '.'), '.')
$function$"""
"""Returns the part of a JSON document that a path of SQLite leads to, such as `$.request[0].id`."""

_JSON_SCALAR: Final = """\
CREATE FUNCTION json_scalar_text(value json) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT CASE json_typeof(value)
    WHEN 'boolean' THEN CASE value #>> '{}' WHEN 'true' THEN '1' ELSE '0' END
    ELSE value #>> '{}' END
$function$"""
"""Returns a JSON value as text: 1 and 0 for booleans as in SQLite, NULL for null."""

_JSON_EXTRACT: Final = """\
CREATE FUNCTION json_extract(document text, path text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT json_scalar_text(json_at(document, path))
$function$"""
"""Returns a part of a JSON document, always as text: numbers and booleans need a cast."""

_JSON_EACH: Final = """\
CREATE FUNCTION json_each(document text, path text DEFAULT '$')
RETURNS TABLE (key text, value text, type text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT (position - 1)::text, json_scalar_text(element), json_typeof(element)
  FROM (SELECT json_at(document, path) AS part) found,
    json_array_elements(CASE json_typeof(part) WHEN 'array' THEN part END)
      WITH ORDINALITY AS each (element, position)
  UNION ALL
  SELECT field, json_scalar_text(element), json_typeof(element)
  FROM (SELECT json_at(document, path) AS part) found,
    pg_catalog.json_each(CASE json_typeof(part) WHEN 'object' THEN part END)
      AS each (field, element)
$function$"""
"""Returns the elements of a JSON array or object as text, with their positions from 0 or names."""

_JSON_VALID: Final = """\
CREATE FUNCTION json_valid(document text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE AS $function$
BEGIN
  PERFORM document::json;
  RETURN true;
EXCEPTION WHEN data_exception THEN
  RETURN false;
END $function$"""

_INSTR: Final = """\
CREATE FUNCTION instr(whole text, part text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$ SELECT strpos(whole, part) $function$"""

_DECODE_TEXT: Final = """\
CREATE FUNCTION decode_text(content bytea) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $function$
  SELECT convert_from(CASE position('\\x00'::bytea IN content) WHEN 0 THEN content
    ELSE substring(content FROM 1 FOR position('\\x00'::bytea IN content) - 1) END, 'UTF8')
$function$"""
"""Decodes UTF-8 to its end or to the first NUL, as SQLite does for `length`."""

_REFUSE_CHANGE: Final = """\
CREATE FUNCTION refuse_change_of_event() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION 'the log only grows' USING ERRCODE = 'restrict_violation';
END $function$"""
_EVENTS_TRIGGER: Final = """\
CREATE TRIGGER events_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_event()"""

FUNCTIONS: Final = (
    _JSON_DOCUMENT,
    _JSON_AT,
    _JSON_SCALAR,
    _JSON_EXTRACT,
    _JSON_EACH,
    _JSON_VALID,
    _INSTR,
    _DECODE_TEXT,
    _REFUSE_CHANGE,
)
"""SQL that creates the functions of a schema, in this order."""

TRIGGERS: Final = (_EVENTS_TRIGGER,)
"""SQL that makes the event log append-only, once there are tables."""
