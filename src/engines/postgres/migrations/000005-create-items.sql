-- The one projection that every plane writes: searchable text, analysed by Heddle itself so that both
-- engines and all Node versions agree on what a word is.
create table heddle.recall_item (
  tenant_id uuid not null,
  scope_id uuid not null,
  record_id uuid not null,
  kind text not null check (kind in ('fact', 'chunk', 'turn', 'kv', 'vector', 'review')),
  -- The source that a chunk or turn is part of.
  source_id uuid,
  -- Of the record, when this text of it was projected.
  revision integer not null,
  title text,
  text text not null,
  language text,
  -- Weights: A title, B path and tags, C author, D text.
  lexemes tsvector not null,
  -- Words of the text, title included: the length in BM25.
  word_count integer not null,
  observed_at timestamptz,
  expires_at timestamptz,
  type text,
  tags text[] not null default '{}',
  path text,
  author text,
  -- SHA-256 of title and text: what an embedding of this item is made from.
  input_hash bytea not null check (length(input_hash) = 32),
  agent text not null default heddle.stamp('agent'),
  user_name text default heddle.stamp('user'),
  session text default heddle.stamp('session'),
  run_id uuid default heddle.stamp('run_id')::uuid,
  model text default heddle.stamp('model'),
  compaction_generation integer default heddle.stamp('compaction_generation')::integer,
  origin text not null default heddle.stamp('origin'),
  inserted_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- Record ids are made by the server and random, so the key need not lead with the scope.
  primary key (tenant_id, record_id),
  foreign key (tenant_id, scope_id) references heddle.scope on delete cascade
);
create index recall_item_tenant_id_scope_id_idx on heddle.recall_item (tenant_id, scope_id) include (word_count);
create index recall_item_tenant_id_source_id_idx on heddle.recall_item (tenant_id, source_id) where source_id is not null;
create index recall_item_lexemes_idx on heddle.recall_item using gin (lexemes) with (fastupdate = off);

call heddle.protect_table('recall_item');

-- Text matching is not leakproof, so under a policy it may only run on rows that passed it, and the
-- index is out of reach. The two functions below use the index and apply the policy's predicate
-- themselves, narrowed to the scopes they are asked for: they run as the owner, whom this policy lets read.
create policy recall_item_owner_select on heddle.recall_item for select to heddle_owner using (true);

-- A query that any of the words meets; built here from quoted words, so that no text can be read as an
-- operator.
create function heddle.any_term_query(p_terms text[]) returns tsquery language sql immutable parallel safe
  return (select string_agg('''' || replace(replace(t, '\', '\\'), '''', '''''') || '''', '|')::tsquery
    from unnest(p_terms) t);

-- True without paths; a path that ends with a slash stands for everything below it, a slash alone for
-- everything that has a path.
create function heddle.path_is_among(p_path text, p_paths text[]) returns boolean language sql immutable parallel safe
  return p_paths is null or coalesce(
    (select bool_or(p_path is not null and (p_path = p or p = '/' or (right(p, 1) = '/' and starts_with(p_path, p))))
      from unnest(p_paths) p), false);

-- Those of the given ids that the transaction-local list has.
create function heddle.intersect_ids(p_given uuid[], p_list uuid[]) returns uuid[] language sql immutable parallel safe
  return array(select unnest(p_given) intersect select unnest(p_list));

-- How many items hold each word, counted up to p_term_cap; the row without a word tells how many items
-- there are (up to p_item_cap) and their mean length.
create function heddle.count_item_terms(
    p_tenant_ids uuid[], p_scope_ids uuid[], p_terms text[], p_term_cap integer, p_item_cap integer)
  returns table (term text, items integer, mean_words double precision)
  language plpgsql stable security definer set search_path = heddle, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_tenants constant uuid[] := intersect_ids(p_tenant_ids, read_tenants());
  v_scopes constant uuid[] := intersect_ids(p_scope_ids, read_scopes());
begin
  select null, count(*), coalesce(avg(s.word_count), 0) into term, items, mean_words
  from (select i.word_count from recall_item i
    where i.tenant_id = any (v_tenants) and i.scope_id = any (v_scopes) limit p_item_cap) s;
  return next;
  mean_words := null;
  foreach term in array p_terms loop
    select count(*) into items
    from (select from recall_item i
      where i.tenant_id = any (v_tenants) and i.scope_id = any (v_scopes)
        and i.lexemes @@ any_term_query(array[term]) limit p_term_cap) s;
    return next;
  end loop;
end $$;

-- Ranks items by BM25 (k1 = 1, b = 0.6): items with one of
-- p_seeds are candidates, all p_terms score, each with its weight in p_idfs. Filters come before the
-- limit; one that is null is not applied.
--
-- ts_rank of one word that occurs tf times is the sum of 1/j^2 for j up to tf, over pi^2/6: within a few
-- per cent of tf / (tf + 0.645). So tf is recovered from it, and length brought in as BM25 does, at a
-- third of the cost of unpacking the vector of every candidate.
create function heddle.rank_items(
    p_tenant_ids uuid[], p_scope_ids uuid[],
    p_seeds text[], p_terms text[], p_idfs double precision[], p_mean_words double precision,
    p_kinds text[], p_types text[], p_tags text[], p_paths text[],
    p_source_kinds text[], p_source_types text[], p_source_paths text[],
    p_observed_from timestamptz, p_observed_to timestamptz, p_undated boolean, p_limit integer)
  returns table (record_id uuid, score double precision)
  language plpgsql stable security definer set search_path = heddle, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_tenants constant uuid[] := intersect_ids(p_tenant_ids, read_tenants());
  v_scopes constant uuid[] := intersect_ids(p_scope_ids, read_scopes());
  v_seeds constant tsquery := any_term_query(p_seeds);
  v_queries constant tsquery[] := (
    select array_agg(any_term_query(array[t.term]) order by t.at)
    from unnest(p_terms) with ordinality as t (term, at));
begin
  return query
    select i.record_id, s.score
    from recall_item i
    cross join lateral (
      select sum(q.idf * 2 * c.tf / (c.tf + 0.4 + 0.6 * i.word_count / greatest(p_mean_words, 1))) as score
      from unnest(v_queries, p_idfs) as q (query, idf)
      cross join lateral (select ts_rank('{1,1,1,1}', i.lexemes, q.query)::double precision as rank) r
      cross join lateral (select 0.645 * r.rank / (1.0001 - r.rank) as tf) c
    ) s
    where i.tenant_id = any (v_tenants) and i.scope_id = any (v_scopes)
      and i.lexemes @@ v_seeds
      and (i.expires_at is null or i.expires_at > clock_timestamp())
      and (p_kinds is null or i.kind = any (p_kinds))
      and (p_types is null or i.type = any (p_types))
      and (p_tags is null or i.tags @> p_tags)
      and path_is_among(i.path, p_paths)
      and (p_source_kinds is null or i.kind = any (p_source_kinds))
      and (p_source_types is null or i.type = any (p_source_types))
      and path_is_among(i.path, p_source_paths)
      and ((p_observed_from is null and p_observed_to is null)
        or (i.observed_at is null and p_undated)
        or (i.observed_at >= coalesce(p_observed_from, '-infinity')
          and i.observed_at < coalesce(p_observed_to, 'infinity')))
    order by s.score desc, i.inserted_at desc, i.record_id
    limit p_limit;
end $$;

revoke execute on function
  heddle.any_term_query(text[]), heddle.path_is_among(text, text[]), heddle.intersect_ids(uuid[], uuid[]),
  heddle.count_item_terms(uuid[], uuid[], text[], integer, integer),
  heddle.rank_items(uuid[], uuid[], text[], text[], double precision[], double precision, text[], text[], text[], text[],
    text[], text[], text[], timestamptz, timestamptz, boolean, integer)
  from public;
grant execute on function
  heddle.count_item_terms(uuid[], uuid[], text[], integer, integer),
  heddle.rank_items(uuid[], uuid[], text[], text[], double precision[], double precision, text[], text[], text[], text[],
    text[], text[], text[], timestamptz, timestamptz, boolean, integer)
  to heddle_app;
