"""What makes the shared table: its columns, its trigger, and who may do what with its rows."""

from __future__ import annotations

from typing import Final

_OPEN: Final = """\
-- Everybody who has the key may read, write and delete all rows: also those of others.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current
  for all using (true) with check (true);
"""

_STRICT: Final = """\
-- Everybody has a token of their own, whose claim "username" is their name here: they read, write
-- and delete their own rows alone. A key without that claim, as the anon key, reaches nothing.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current for all
  using (username = current_setting('request.jwt.claims', true)::json ->> 'username')
  with check (username = current_setting('request.jwt.claims', true)::json ->> 'username');
"""

_TABLE: Final = """\
-- Where tui-annotate sync puts work. Run it once, as the owner of the database; again does no harm.
create table if not exists annotations_current (
  dataset text not null,
  username text not null,
  annotation_key text not null,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (dataset, username, annotation_key)
);
create index if not exists annotations_current_username on annotations_current (username);
create or replace function annotations_current_touch() returns trigger language plpgsql as $$
begin
  new.created_at = old.created_at;
  -- Never the same moment twice, so that a change is always seen.
  new.updated_at = greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
drop trigger if exists annotations_current_touch on annotations_current;
create trigger annotations_current_touch before update on annotations_current
  for each row execute function annotations_current_touch();
alter table annotations_current enable row level security;
"""


def init_sql(*, everybody: bool) -> str:
    """The statements, to be run by whoever owns the database.

    Args:
        everybody: whoever has the key may do everything; else people have tokens of their own.
    """
    return f"{_TABLE}\n{_OPEN if everybody else _STRICT}"
