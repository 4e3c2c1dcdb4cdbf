-- The key/value plane: live entries, every change that was made to them, and the bytes each scope holds.

create table heddle.kv_entry (
  tenant_id uuid not null,
  scope_id uuid not null,
  entry_id uuid not null,
  -- "C": order and prefixes go by code point, whatever the locale of the database.
  key text collate "C" not null,
  -- json, not jsonb: the order of fields is part of the value.
  value json not null,
  revision bigint not null check (revision > 0),
  -- UTF-8 bytes of key and value: what the entry takes of the scope's quota.
  bytes integer not null check (bytes > 0),
  expires_at timestamptz,
  inserted_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, scope_id, key),
  unique (tenant_id, entry_id),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create index kv_entry_expires_at_idx on heddle.kv_entry (tenant_id, scope_id, expires_at)
  where expires_at is not null;
call heddle.protect_table('kv_entry');

-- One row per change. The last revision of a key lives here after its deletion, so that a later
-- entry of that key goes on above it and an old if_revision can never fit by chance.
create table heddle.kv_history (
  tenant_id uuid not null,
  scope_id uuid not null,
  key text collate "C" not null,
  revision bigint not null check (revision > 0),
  entry_id uuid not null,
  op text not null
    check (op in ('set', 'delete', 'expire', 'incr', 'merge', 'append_unique', 'push_bounded')),
  -- Absent after a deletion or an expiry.
  value json,
  expires_at timestamptz,
  -- For 'expire' the moment of expiry, not the moment at which it was noticed.
  changed_at timestamptz not null,
  inserted_at timestamptz not null default clock_timestamp(),
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  primary key (tenant_id, scope_id, key, revision),
  unique (tenant_id, scope_id, entry_id, revision),
  check ((value is null) = (op in ('delete', 'expire'))),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
call heddle.protect_table('kv_history');

-- One row per scope: the bytes of its entries (those that expired and were not swept yet included),
-- and the lock that every writer of the scope takes first.
create table heddle.kv_usage (
  tenant_id uuid not null,
  scope_id uuid not null,
  bytes bigint not null default 0 check (bytes >= 0),
  -- The highest revision of what was erased for good: keys without a history go on above it, so that an
  -- old if_revision can never fit by chance.
  revision_floor bigint not null default 0 check (revision_floor >= 0),
  -- When the last writer had the lock. Never goes back, even when the clock does.
  updated_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_id),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
call heddle.protect_table('kv_usage');

-- The sweeper finds where something expired; it sees neither keys nor values.
create policy kv_entry_dispatch on heddle.kv_entry for select to heddle_dispatch using (true);
grant select (tenant_id, scope_id, expires_at) on heddle.kv_entry to heddle_dispatch;
create policy scope_kind_dispatch on heddle.scope for select to heddle_dispatch using (true);
grant select (tenant_id, scope_id, kind) on heddle.scope to heddle_dispatch;
