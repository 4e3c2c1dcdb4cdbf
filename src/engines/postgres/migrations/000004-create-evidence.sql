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
  -- Which of title, type and tags somebody gave: these do not follow the text.
  given_fields text[] not null default '{}',
  -- Bound of a leaf chunk, when one was given.
  chunk_tokens integer check (chunk_tokens > 0),
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
-- Deleted ones too: what was forgotten of one does not come back under its name.
create index source_tenant_id_scope_id_name_idx on heddle.source (tenant_id, scope_id, name) where name is not null;
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

-- A span of one revision that speaks for or against something, such as a fact. It lies in the scope of
-- what it speaks about; its source in that or a wider one, maybe another tenant's (the system tenant), so
-- it holds a copy of the ids and no reference: whether they are there is checked on every read.
create table heddle.evidence (
  tenant_id uuid not null,
  scope_id uuid not null,
  evidence_id uuid not null,
  source_tenant_id uuid not null,
  source_scope_id uuid not null,
  source_id uuid not null,
  revision integer not null check (revision > 0),
  -- The leaf chunk or turn that the span starts in; in a turn offsets count inside its content.
  chunk_id uuid not null,
  -- UTF-16 code units of the revision's text.
  start_offset integer not null check (start_offset >= 0),
  end_offset integer not null,
  quote_hash bytea not null check (length(quote_hash) = 32),
  stance text not null check (stance in ('supports', 'contradicts')),
  confidence integer not null check (confidence between 0 and 10000),
  -- Line, URL or message id, as an object.
  locator json,
  -- Who said that the span speaks for it, when, and by which model.
  judged_by text not null default heddle.stamp('agent'),
  judged_at timestamptz not null default clock_timestamp(),
  judge_model text default heddle.stamp('model'),
  -- When its source was erased for good: the hash is then one under the tenant's key, the locator gone.
  erased_at timestamptz,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, evidence_id),
  unique (tenant_id, scope_id, evidence_id),
  check (start_offset < end_offset),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create index evidence_tenant_id_scope_id_idx on heddle.evidence (tenant_id, scope_id);
-- What cites a source, in whatever scope: asked when the source is erased.
create index evidence_source_tenant_id_source_id_idx on heddle.evidence (source_tenant_id, source_id);

-- What was erased for good: ids, counts and hashes under the tenant's key. Outlives everything it names.
create table heddle.forget_receipt (
  tenant_id uuid not null,
  scope_id uuid not null,
  receipt_id uuid not null,
  state text not null check (state in ('erasing', 'erased')),
  -- Of what was asked for and of everything that went with it.
  record_ids uuid[] not null,
  -- Rows by table, as an object.
  counts json not null,
  -- Keyed hash by record id, as an object of hex strings.
  hashes json not null,
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, receipt_id),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create index forget_receipt_record_ids_idx on heddle.forget_receipt using gin (record_ids);

call heddle.protect_table('source');
call heddle.protect_table('source_revision');
call heddle.protect_table('evidence');
call heddle.protect_table('forget_receipt');

-- Append-only: whatever the application does, a revision is never rewritten, and a receipt never lost.
revoke update on heddle.source_revision, heddle.evidence, heddle.forget_receipt from heddle_app;
revoke delete on heddle.forget_receipt from heddle_app;

-- For tables whose rows may be erased but not rewritten: the one update they allow is the erasure.
create function heddle.only_erase() returns trigger language plpgsql as $$
begin
  if new.erased_at is null or old.erased_at is not null then
    raise exception 'a row of % can only be erased', tg_table_name using errcode = 'check_violation';
  end if;
  return new;
end $$;

revoke execute on function heddle.only_erase() from public;

create trigger evidence_only_erase before update on heddle.evidence
  for each row execute function heddle.only_erase();
grant update (quote_hash, locator, erased_at) on heddle.evidence to heddle_app;

-- Keeps a source from being deleted or erased until the transaction ends, also one that it may only read
-- (a locking select would need the right to write). False when the source is not there.
create policy source_owner_select on heddle.source for select to heddle_owner
  using (tenant_id = any ((select heddle.read_tenants())::uuid[]) and scope_id = any ((select heddle.read_scopes())::uuid[]));
create policy source_owner_hold on heddle.source for update to heddle_owner
  using (tenant_id = any ((select heddle.read_tenants())::uuid[]) and scope_id = any ((select heddle.read_scopes())::uuid[]))
  with check (false);
create function heddle.hold_source(p_tenant_id uuid, p_scope_id uuid, p_source_id uuid) returns boolean
  language plpgsql volatile security definer set search_path = heddle, pg_temp
as $$
begin
  perform from source s
  where s.tenant_id = p_tenant_id and s.scope_id = p_scope_id and s.source_id = p_source_id and s.deleted_at is null
  for key share;
  return found;
end $$;

-- Erases the evidence that cites a source, or one turn of it, wherever it lies: citing scopes are mostly
-- out of the eraser's reach. Only for a source that the transaction may write. Returns how many rows.
create policy evidence_owner_select on heddle.evidence for select to heddle_owner
  using (source_tenant_id = any ((select heddle.write_tenants())::uuid[]) and source_scope_id = any ((select heddle.write_scopes())::uuid[]));
create policy evidence_owner_erase on heddle.evidence for update to heddle_owner
  using (source_tenant_id = any ((select heddle.write_tenants())::uuid[]) and source_scope_id = any ((select heddle.write_scopes())::uuid[]));
create function heddle.erase_evidence(p_tenant_id uuid, p_scope_id uuid, p_source_id uuid, p_turn_id uuid) returns integer
  language plpgsql volatile security definer set search_path = heddle, pg_temp
as $$
declare erased integer;
begin
  update evidence e
  set quote_hash = sha256(t.hash_key || sha256('\x01'::bytea || t.hash_key || e.quote_hash)),
    locator = null, erased_at = clock_timestamp()
  from tenant t
  where t.tenant_id = e.tenant_id and e.source_tenant_id = p_tenant_id and e.source_scope_id = p_scope_id
    and e.source_id = p_source_id and (p_turn_id is null or e.chunk_id = p_turn_id) and e.erased_at is null;
  get diagnostics erased = row_count;
  return erased;
end $$;

revoke execute on function heddle.hold_source(uuid, uuid, uuid), heddle.erase_evidence(uuid, uuid, uuid, uuid) from public;
grant execute on function heddle.hold_source(uuid, uuid, uuid), heddle.erase_evidence(uuid, uuid, uuid, uuid) to heddle_app;
