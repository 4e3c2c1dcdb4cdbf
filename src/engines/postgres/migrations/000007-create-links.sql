-- What a document is called, now and before. Links are resolved against it when they are read, so a link
-- is right as soon as its target appears, is renamed or moves.
create table heddle.source_name (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  -- A path as it is; a title, an alias or the last segment of a path folded (NFKC, lower case, single spaces).
  kind text not null check (kind in ('path', 'title', 'alias', 'segment')),
  name text collate "C" not null,
  -- When the document had it last; absent while it still has it.
  until timestamptz,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, scope_id, source_id, kind, name),
  foreign key (tenant_id, scope_id, source_id)
    references heddle.source (tenant_id, scope_id, source_id) on delete cascade
);
create index source_name_tenant_id_scope_id_name_idx on heddle.source_name (tenant_id, scope_id, name);

-- Links of the newest revision of a document.
create table heddle.link (
  tenant_id uuid not null,
  scope_id uuid not null,
  source_id uuid not null,
  -- Order in the document.
  position integer not null,
  -- The leaf chunk that it stands in.
  chunk_id uuid not null,
  kind text not null check (kind in ('link', 'image', 'wiki')),
  -- As it is written.
  target text not null,
  -- The words of the link.
  label text,
  -- What it looks for in source_name: of a relative link the path it leads to from its document, of a wiki
  -- link the folded name. Absent for a URL outside and for a place in the same document.
  target_name text collate "C",
  -- After the #.
  anchor text,
  -- UTF-16 code units of the revision's text.
  start_offset integer not null,
  end_offset integer not null,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, source_id, position),
  check (start_offset < end_offset),
  foreign key (tenant_id, scope_id, source_id)
    references heddle.source (tenant_id, scope_id, source_id) on delete cascade
);
create index link_tenant_id_scope_id_target_name_idx on heddle.link (tenant_id, scope_id, target_name)
  where target_name is not null;

call heddle.protect_table('source_name');
call heddle.protect_table('link');
