-- A write that named an idempotency key, and how to answer it again. Ids, revisions and a keyed hash
-- of the body; never contents. Kept 24 hours.
create table heddle.idempotency (
  tenant_id uuid not null,
  scope_id uuid not null,
  op text not null,
  key text not null,
  body_hash bytea not null,
  receipt json,
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_id, op, key),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create index idempotency_inserted_at_idx on heddle.idempotency (tenant_id, inserted_at);

call heddle.protect_table('idempotency');

-- The sweeper finds what is past its time; it sees no keys, hashes or receipts.
create policy idempotency_dispatch on heddle.idempotency for select to heddle_dispatch using (true);
grant select (tenant_id, scope_id, inserted_at) on heddle.idempotency to heddle_dispatch;
