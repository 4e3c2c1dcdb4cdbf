-- Roles exist already (engines/postgres/roles.ts makes them: they belong to the cluster, not to a
-- database). This file runs as heddle_owner with row_security = off.

create schema heddle;
grant usage on schema heddle to heddle_app, heddle_dispatch;

-- The transaction-local settings, read in one place. Without settings there are no rows, never an error.

create function heddle.read_tenants() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('heddle.read_tenants', true), '')::uuid[];
create function heddle.read_scopes() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('heddle.read_scopes', true), '')::uuid[];
create function heddle.write_tenants() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('heddle.write_tenants', true), '')::uuid[];
create function heddle.write_scopes() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('heddle.write_scopes', true), '')::uuid[];
create function heddle.stamp(name text) returns text language sql stable parallel safe
  return nullif(current_setting('heddle.' || name, true), '');

-- The one text form of a moment: UTC, six digits, as `Instant` in TypeScript.
create function heddle.instant(at timestamptz) returns text language sql immutable parallel safe
  return case when at = 'infinity' then null
    else to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end;

create table heddle.tenant (
  tenant_id uuid not null primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  -- Keys the hashes of contents, so that equal contents of two tenants never have equal hashes.
  hash_key bytea not null check (length(hash_key) = 32),
  inserted_at timestamptz not null default clock_timestamp()
);

create table heddle.scope (
  tenant_id uuid not null references heddle.tenant on delete cascade,
  scope_id uuid not null default gen_random_uuid(),
  kind text not null check (kind in ('run', 'user', 'agent', 'tenant', 'global')),
  -- Agent name, user name, or run id; empty for tenant and global.
  owner text not null,
  inserted_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_id),
  unique (tenant_id, kind, owner)
);

create table heddle.api_key (
  tenant_id uuid not null references heddle.tenant on delete cascade,
  api_key_id uuid not null,
  prefix text not null,
  token_hash bytea not null,
  label text,
  role text not null check (role in ('agent', 'service', 'admin')),
  agent text,
  user_name text,
  grants text[] not null default '{}',
  isolated boolean not null default false,
  inserted_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  primary key (tenant_id, api_key_id),
  check (role = 'service' or agent is not null)
);
create unique index api_key_token_hash_idx on heddle.api_key (token_hash);

create table heddle.run (
  tenant_id uuid not null references heddle.tenant on delete cascade,
  run_id uuid not null,
  scope_id uuid not null,
  parent_run_id uuid,
  -- Absent for runs that the operator's own process opened (stdio).
  api_key_id uuid,
  name text,
  agent text not null,
  user_name text,
  session text,
  model text,
  compaction_generation integer check (compaction_generation >= 0),
  role text not null check (role in ('agent', 'admin')),
  grants text[] not null default '{}',
  isolated boolean not null default false,
  token_hash bytea,
  inserted_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- When the sweeper removed what the run's scope held.
  purged_at timestamptz,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade,
  foreign key (tenant_id, parent_run_id) references heddle.run on delete cascade,
  foreign key (tenant_id, api_key_id) references heddle.api_key on delete cascade
);
create unique index run_token_hash_idx on heddle.run (token_hash);
create index run_tenant_id_parent_run_id_idx on heddle.run (tenant_id, parent_run_id);
create index run_unpurged_idx on heddle.run (tenant_id, expires_at) where purged_at is null;

-- The built-in system tenant and its one scope.
insert into heddle.tenant (tenant_id, name, hash_key)
  values ('00000000-0000-4000-8000-000000000001', 'system', sha256(gen_random_uuid()::text::bytea || gen_random_uuid()::text::bytea));
insert into heddle.scope (tenant_id, scope_id, kind, owner)
  values ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'global', ''),
         ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003', 'tenant', '');

-- Row-level security. Identity tables hold nothing that the serving role selects by itself: it
-- reaches them through the functions below, which run as the owner.

do $$
declare t text;
begin
  foreach t in array array['tenant', 'scope', 'api_key', 'run'] loop
    execute format('alter table heddle.%I enable row level security', t);
    execute format('alter table heddle.%I force row level security', t);
    execute format('create policy %I on heddle.%I to heddle_owner using (true) with check (true)', t || '_owner', t);
  end loop;
end $$;

-- What every table of contents gets: forced row-level security with two lists of scopes. Reading needs
-- the read list; writing needs the write list, whatever the application does. The scalar sub-selects make
-- the planner read each setting once per statement, not once per row.
create procedure heddle.protect_table(p_table text) language plpgsql as $$
declare
  reads constant text := 'tenant_id = any ((select heddle.read_tenants())::uuid[]) and scope_id = any ((select heddle.read_scopes())::uuid[])';
  writes constant text := 'tenant_id = any ((select heddle.write_tenants())::uuid[]) and scope_id = any ((select heddle.write_scopes())::uuid[])';
begin
  execute format('alter table heddle.%I enable row level security', p_table);
  execute format('alter table heddle.%I force row level security', p_table);
  execute format('create policy %I on heddle.%I for select to heddle_app using (%s)', p_table || '_select', p_table, reads);
  execute format('create policy %I on heddle.%I for insert to heddle_app with check (%s)', p_table || '_insert', p_table, writes);
  execute format('create policy %I on heddle.%I for update to heddle_app using (%s) with check (%s)', p_table || '_update', p_table, writes, writes);
  execute format('create policy %I on heddle.%I for delete to heddle_app using (%s)', p_table || '_delete', p_table, writes);
  execute format('grant select, insert, update, delete on heddle.%I to heddle_app', p_table);
end $$;

-- References of other tables to (tenant_id, scope_id) need the scope to be visible to its writer.
create policy scope_select on heddle.scope for select to heddle_app
  using (tenant_id = any ((select heddle.read_tenants())::uuid[]) and scope_id = any ((select heddle.read_scopes())::uuid[]));
grant select on heddle.scope to heddle_app;

create policy tenant_dispatch on heddle.tenant for select to heddle_dispatch using (true);
grant select (tenant_id, inserted_at) on heddle.tenant to heddle_dispatch;
create policy run_dispatch on heddle.run for select to heddle_dispatch using (true);
grant select (tenant_id, run_id, scope_id, parent_run_id, inserted_at, expires_at, ended_at, purged_at)
  on heddle.run to heddle_dispatch;

-- Functions of the identity room. Each is `security definer` because it answers before any scope is
-- known; each names the tenant it works on.

create function heddle.run_is_live(p_tenant_id uuid, p_run_id uuid) returns boolean
  language sql stable security definer set search_path = heddle, pg_temp
as $$
  -- Live: not ended, not expired, its key not revoked, and so for every ancestor.
  with recursive line as (
    select r.* from run r where r.tenant_id = p_tenant_id and r.run_id = p_run_id
    union all
    select p.* from run p join line on p.tenant_id = line.tenant_id and p.run_id = line.parent_run_id
  )
  select count(*) > 0 and bool_and(
    line.ended_at is null and line.expires_at > clock_timestamp()
    and not exists (select from api_key k
      where k.tenant_id = line.tenant_id and k.api_key_id = line.api_key_id and k.revoked_at is not null))
  from line
$$;

create function heddle.authenticate(p_token_hash bytea)
  returns table (
    credential text, tenant_id uuid, tenant text, api_key_id uuid, run_id uuid, run_name text,
    parent_run_id uuid, agent text, user_name text, session text, model text,
    compaction_generation integer, role text, grants text[], isolated boolean)
  language sql stable security definer set search_path = heddle, pg_temp
as $$
  select 'key', k.tenant_id, t.name, k.api_key_id, null::uuid, null, null::uuid, k.agent, k.user_name,
    null, null, null::integer, k.role, k.grants, k.isolated
  from api_key k join tenant t using (tenant_id)
  where k.token_hash = p_token_hash and k.revoked_at is null
  union all
  select 'run', r.tenant_id, t.name, r.api_key_id, r.run_id, r.name, r.parent_run_id, r.agent, r.user_name,
    r.session, r.model, r.compaction_generation, r.role, r.grants, r.isolated
  from run r join tenant t using (tenant_id)
  where r.token_hash = p_token_hash and run_is_live(r.tenant_id, r.run_id)
$$;

create function heddle.find_tenant(p_name text) returns uuid
  language sql stable security definer set search_path = heddle, pg_temp
  as $$ select tenant_id from tenant where name = p_name $$;

-- The one place where an identity's scopes become rows. Makes the rows of the agent and the user
-- when they are missing; an empty result means that the tenant is gone, the run is over or the key is revoked.
create function heddle.resolve_scopes(
    p_tenant_id uuid, p_agent text, p_user text, p_run_id uuid, p_api_key_id uuid)
  returns table (kind text, tenant_id uuid, scope_id uuid)
  language plpgsql volatile security definer set search_path = heddle, pg_temp
as $$
#variable_conflict use_column
begin
  if not exists (select from tenant t where t.tenant_id = p_tenant_id) then return; end if;
  if p_run_id is not null and not run_is_live(p_tenant_id, p_run_id) then return; end if;
  if p_api_key_id is not null and not exists (select from api_key k where k.tenant_id = p_tenant_id
      and k.api_key_id = p_api_key_id and k.revoked_at is null) then return; end if;
  -- Looked up first: the rows nearly always exist, and an insert that does nothing still costs a lock.
  if not exists (select from scope s where s.tenant_id = p_tenant_id and s.kind = 'agent' and s.owner = p_agent) then
    insert into scope (tenant_id, kind, owner) values (p_tenant_id, 'agent', p_agent) on conflict do nothing;
  end if;
  if p_user is not null and not exists (
      select from scope s where s.tenant_id = p_tenant_id and s.kind = 'user' and s.owner = p_user) then
    insert into scope (tenant_id, kind, owner) values (p_tenant_id, 'user', p_user) on conflict do nothing;
  end if;
  return query
    select s.kind, s.tenant_id, s.scope_id from scope s
    where s.tenant_id = p_tenant_id
      and (s.kind = 'tenant'
        or (s.kind = 'agent' and s.owner = p_agent)
        or (s.kind = 'user' and s.owner = p_user)
        or (s.kind = 'run' and s.owner = p_run_id::text))
    union all
    select s.kind, s.tenant_id, s.scope_id from scope s where s.kind = 'global';
end $$;

-- Opens a run under a live key (or, without a key, for the operator's own process). Returns nothing
-- when the parent is not a live run of the same key.
create function heddle.start_run(
    p_tenant_id uuid, p_run_id uuid, p_api_key_id uuid, p_parent_run_id uuid, p_name text, p_agent text,
    p_user text, p_session text, p_model text, p_compaction_generation integer, p_role text,
    p_grants text[], p_isolated boolean, p_token_hash bytea, p_ttl_seconds integer)
  returns table (scope_id uuid, expires_at timestamptz)
  language plpgsql volatile security definer set search_path = heddle, pg_temp
as $$
#variable_conflict use_column
declare v_scope_id uuid;
begin
  if p_api_key_id is not null and not exists (select from api_key k where k.tenant_id = p_tenant_id
      and k.api_key_id = p_api_key_id and k.revoked_at is null) then return; end if;
  if p_parent_run_id is not null and not (run_is_live(p_tenant_id, p_parent_run_id) and exists (
      select from run r where r.tenant_id = p_tenant_id and r.run_id = p_parent_run_id
        and r.api_key_id is not distinct from p_api_key_id)) then return; end if;
  insert into scope (tenant_id, kind, owner) values (p_tenant_id, 'run', p_run_id::text)
    returning scope.scope_id into v_scope_id;
  return query
    insert into run (tenant_id, run_id, scope_id, parent_run_id, api_key_id, name, agent, user_name, session,
        model, compaction_generation, role, grants, isolated, token_hash, expires_at)
      values (p_tenant_id, p_run_id, v_scope_id, p_parent_run_id, p_api_key_id, p_name, p_agent, p_user,
        p_session, p_model, p_compaction_generation, p_role, p_grants, p_isolated, p_token_hash,
        clock_timestamp() + make_interval(secs => p_ttl_seconds))
      returning run.scope_id, run.expires_at;
end $$;

-- Ends a run of that key; true also when it was over before, false when there is none.
create function heddle.end_run(p_tenant_id uuid, p_api_key_id uuid, p_run_id uuid) returns boolean
  language sql volatile security definer set search_path = heddle, pg_temp
as $$
  with ended as (
    update run set ended_at = coalesce(ended_at, clock_timestamp())
    where tenant_id = p_tenant_id and run_id = p_run_id and api_key_id is not distinct from p_api_key_id
    returning 1)
  select exists (select from ended)
$$;

create function heddle.mark_run_purged(p_tenant_id uuid, p_run_id uuid) returns void
  language sql volatile security definer set search_path = heddle, pg_temp
as $$
  update run set purged_at = clock_timestamp()
  where tenant_id = p_tenant_id and run_id = p_run_id and not run_is_live(p_tenant_id, p_run_id)
$$;

-- Ended, expired or orphaned runs whose scope still has to be emptied.
create function heddle.list_dead_runs(p_limit integer)
  returns table (tenant_id uuid, run_id uuid, scope_id uuid)
  language sql stable security definer set search_path = heddle, pg_temp
as $$
  select r.tenant_id, r.run_id, r.scope_id from run r
  where r.purged_at is null and not run_is_live(r.tenant_id, r.run_id)
  order by r.tenant_id, r.expires_at limit p_limit
$$;

-- HMAC-like hash under the tenant's own key (RFC 2104's nesting over SHA-256); the key never leaves
-- the database. Only for a tenant that the transaction may write.
create function heddle.keyed_hash(p_tenant_id uuid, p_data bytea) returns bytea
  language sql stable security definer set search_path = heddle, pg_temp
as $$
  select sha256(t.hash_key || sha256('\x01'::bytea || t.hash_key || p_data)) from tenant t
  where t.tenant_id = p_tenant_id and t.tenant_id = any (write_tenants())
$$;

revoke execute on all routines in schema heddle from public;
grant execute on function
  heddle.read_tenants(), heddle.read_scopes(), heddle.write_tenants(), heddle.write_scopes(), heddle.stamp(text), heddle.instant(timestamptz)
  to heddle_app, heddle_dispatch;
grant execute on function
  heddle.run_is_live(uuid, uuid), heddle.authenticate(bytea), heddle.find_tenant(text),
  heddle.resolve_scopes(uuid, text, text, uuid, uuid),
  heddle.start_run(uuid, uuid, uuid, uuid, text, text, text, text, text, integer, text, text[], boolean, bytea, integer),
  heddle.end_run(uuid, uuid, uuid), heddle.mark_run_purged(uuid, uuid), heddle.keyed_hash(uuid, bytea)
  to heddle_app;
grant execute on function heddle.list_dead_runs(integer) to heddle_dispatch;
