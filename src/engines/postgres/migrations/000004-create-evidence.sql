-- What was observed, and every version of it. A source is addressed by id, a document also by its path, a
-- conversation also by its name; its text lies in append-only revisions.
create table heddle.source (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  kind text not null check (kind in
    ('document', 'conversation', 'text', 'statement', 'tool_output', 'correction', 'harvest')),
  path text,
  -- Of a conversation.
  name text,
  title text,
  type text,
  tags text[] not null default '{}',
  -- Front matter, as an object.
  fields json,
  observed_at timestamptz,
  -- The newest one; 0 only inside the transaction that makes the source.
  revision integer not null default 0 check (revision >= 0),
  deleted_at timestamptz,
  deleted_by text,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, source_id),
  -- What belongs to a source refers to this, so that it cannot lie in another scope.
  unique (tenant_id, scope_id, source_id),
  check ((path is not null) = (kind = 'document')),
  check ((name is not null) = (kind = 'conversation')),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create unique index source_path_key on heddle.source (tenant_id, scope_id, path)
  where path is not null and deleted_at is null;
create unique index source_name_key on heddle.source (tenant_id, scope_id, name)
  where name is not null and deleted_at is null;

create table heddle.source_revision (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  revision integer not null check (revision > 0),
  -- Exactly as given. A conversation has none: its turns are its text, and a revision is the turns it added.
  text text,
  text_hash bytea check (length(text_hash) = 32),
  -- UTF-16 code units, the unit of every span.
  length integer not null check (length >= 0),
  observed_at timestamptz,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, source_id, revision),
  unique (tenant_id, scope_id, source_id, revision),
  check ((text is null) = (text_hash is null)),
  foreign key (tenant_id, scope_id, source_id)
    references heddle.source (tenant_id, scope_id, source_id) on delete cascade
);

call heddle.protect_table('source');
call heddle.protect_table('source_revision');
-- Append-only: whatever the application does, a revision is never rewritten.
revoke update on heddle.source_revision from heddle_app;
