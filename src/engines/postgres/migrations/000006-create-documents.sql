-- Addressable pieces of sources. A chunk is an id that outlives revisions; where it lies in one revision,
-- and what it says there, is a row of chunk_revision.
create table heddle.chunk (
  tenant_id uuid not null,
  scope_id uuid not null,
  chunk_id uuid not null,
  source_id uuid not null,
  -- The revision that brought it.
  revision integer not null,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, chunk_id),
  unique (tenant_id, scope_id, source_id, chunk_id),
  foreign key (tenant_id, scope_id, source_id, revision)
    references heddle.source_revision (tenant_id, scope_id, source_id, revision) on delete cascade
);

create table heddle.chunk_revision (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  revision integer not null,
  chunk_id uuid not null,
  -- The section around it; absent at the top level.
  parent_id uuid,
  -- Order in the document: a section comes before what it contains.
  position integer not null,
  type text not null,
  is_leaf boolean not null,
  -- Of a section's heading, 1 to 6.
  level integer check (level between 1 and 6),
  heading_path text[] not null default '{}',
  -- Leaf spans of one revision follow one another without a gap and cover it. UTF-16 code units.
  start_offset integer not null check (start_offset >= 0),
  end_offset integer not null,
  -- The same without white space at its ends: what is quoted, and hashed with SHA-256.
  quote_start integer not null,
  quote_end integer not null,
  quote_hash bytea not null check (length(quote_hash) = 32),
  token_count integer not null check (token_count >= 0),
  tags text[] not null default '{}',
  -- Of a directive, as an object.
  fields json,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, source_id, revision, chunk_id),
  unique (tenant_id, source_id, revision, position),
  check (start_offset <= quote_start and quote_start <= quote_end and quote_end <= end_offset),
  check (is_leaf = (level is null)),
  foreign key (tenant_id, scope_id, source_id, revision)
    references heddle.source_revision (tenant_id, scope_id, source_id, revision) on delete cascade,
  foreign key (tenant_id, scope_id, source_id, chunk_id)
    references heddle.chunk (tenant_id, scope_id, source_id, chunk_id) on delete cascade
);
create index chunk_revision_tenant_id_chunk_id_idx on heddle.chunk_revision (tenant_id, chunk_id, revision desc);

-- From which chunks of the revision before a chunk came, when that is not simply itself: parts of one that
-- was split, or one that others were merged into.
create table heddle.chunk_lineage (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  -- The revision in which it happened.
  revision integer not null,
  chunk_id uuid not null,
  from_chunk_id uuid not null,
  change text not null check (change in ('split', 'merge')),
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, source_id, revision, chunk_id, from_chunk_id),
  foreign key (tenant_id, scope_id, source_id, chunk_id)
    references heddle.chunk (tenant_id, scope_id, source_id, chunk_id) on delete cascade,
  foreign key (tenant_id, scope_id, source_id, from_chunk_id)
    references heddle.chunk (tenant_id, scope_id, source_id, chunk_id) on delete cascade
);
create index chunk_lineage_tenant_id_chunk_id_idx on heddle.chunk_lineage (tenant_id, chunk_id);
create index chunk_lineage_tenant_id_from_chunk_id_idx on heddle.chunk_lineage (tenant_id, from_chunk_id);

-- A turn of a conversation: a chunk that is never revised, whose spans count inside its own content.
create table heddle.turn (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  chunk_id uuid not null,
  -- The revision of the conversation that added it.
  revision integer not null,
  position integer not null check (position > 0),
  key text not null,
  role text not null,
  speaker text,
  -- Both absent once it was erased.
  content text,
  content_hash bytea check (length(content_hash) = 32),
  -- Tool traffic is kept, and not recalled.
  is_tool boolean not null,
  tool json,
  observed_at timestamptz,
  -- When it was erased for good. Its key, then hashed under the tenant's key, still keeps a transcript that is
  -- sent again from bringing it back.
  erased_at timestamptz,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, chunk_id),
  unique (tenant_id, scope_id, source_id, key),
  unique (tenant_id, scope_id, source_id, position),
  check ((content is null) = (erased_at is not null) and (content is null) = (content_hash is null)),
  foreign key (tenant_id, scope_id, source_id, revision)
    references heddle.source_revision (tenant_id, scope_id, source_id, revision) on delete cascade
);

call heddle.protect_table('chunk');
call heddle.protect_table('chunk_revision');
call heddle.protect_table('chunk_lineage');
call heddle.protect_table('turn');
-- Append-only, like the revisions they belong to.
revoke update on heddle.chunk, heddle.chunk_revision, heddle.chunk_lineage, heddle.turn from heddle_app;
create index turn_erased_idx on heddle.turn (tenant_id, scope_id, source_id) where erased_at is not null;
create trigger turn_only_erase before update on heddle.turn for each row execute function heddle.only_erase();
grant update (content, content_hash, key, speaker, tool, erased_at) on heddle.turn to heddle_app;
