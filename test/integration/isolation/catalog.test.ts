import { expect, it } from 'vitest'

import type { PostgresEngine, Row } from '../../../src/engines/postgres/engine.ts'
import { describeEngines } from '../../support/engines.ts'

/** Tables that hold no contents of a scope, each with the reason why a rule does not fit it. */
const WITHOUT_SCOPE: Readonly<Record<string, string>> = {
  tenant: 'is the tenant itself',
  scope: 'is the scope itself',
  api_key: 'belongs to the whole tenant; only the owner role reads it',
  run: 'belongs to the whole tenant; the serving role reaches it through functions',
}

const WITHOUT_ENVELOPE: Readonly<Record<string, string>> = {
  ...WITHOUT_SCOPE,
  idempotency: 'receipts of calls, kept a day; what was written carries the envelope',
  kv_usage: 'a sum of bytes, written by everybody',
}

/** Unique keys that do not lead with the tenant, each with its reason. */
const GLOBAL_KEYS: Readonly<Record<string, string>> = {
  tenant_name_key: 'tenant names are unique in an installation',
  api_key_token_hash_idx: 'a token is looked up before its tenant is known',
  run_token_hash_idx: 'a token is looked up before its tenant is known',
}

const ENVELOPE = [
  'agent',
  'user_name',
  'session',
  'run_id',
  'model',
  'compaction_generation',
  'origin',
]

async function rows(engine: PostgresEngine, name: string, text: string): Promise<readonly Row[]> {
  return engine.withOwner({}, (tx) => tx.query({ name, text, values: [] }))
}

async function tables(engine: PostgresEngine): Promise<readonly Row[]> {
  return rows(
    engine,
    'catalog.tables',
    `select c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as forced,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'heddle' and c.relkind in ('r', 'p') order by 1`,
  )
}

describeEngines('the catalog', (engine) => {
  it('has row-level security enabled and forced on every table', async () => {
    const found = await tables(engine())
    expect(found.length).toBeGreaterThan(8)
    expect(found.filter(({ rls, forced }) => rls !== true || forced !== true)).toEqual([])
  })

  it('has tenant and scope on every table of contents', async () => {
    const missing = (await tables(engine())).filter(({ name, columns }) => {
      const wanted = Object.hasOwn(WITHOUT_SCOPE, String(name))
        ? ['tenant_id']
        : ['tenant_id', 'scope_id']
      return !wanted.every((column) => (columns as string[]).includes(column))
    })
    expect(missing).toEqual([])
  })

  it('has the provenance envelope on every table of contents', async () => {
    const missing = (await tables(engine()))
      .filter(({ name }) => !Object.hasOwn(WITHOUT_ENVELOPE, String(name)))
      .filter(({ columns }) => !ENVELOPE.every((column) => (columns as string[]).includes(column)))
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it('leads every primary key, unique key and foreign key with the tenant', async () => {
    const found = await rows(
      engine(),
      'catalog.keys',
      `select i.relname as name, (select a.attname::text from pg_attribute a
           where a.attrelid = x.indrelid and a.attnum = x.indkey[0]) as first
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_namespace n on n.oid = i.relnamespace
       where n.nspname = 'heddle' and x.indisunique
       union all
       select k.conname, (select a.attname::text from pg_attribute a
           where a.attrelid = k.conrelid and a.attnum = k.conkey[1])
       from pg_constraint k join pg_namespace n on n.oid = k.connamespace
       where n.nspname = 'heddle' and k.contype = 'f'`,
    )
    expect(found.length).toBeGreaterThan(12)
    const astray = found
      .filter(({ first }) => first !== 'tenant_id')
      .map(({ name }) => String(name))
    expect(astray.sort()).toEqual(Object.keys(GLOBAL_KEYS).sort())
  })

  it('keeps every reference between contents inside one scope', async () => {
    const found = await rows(
      engine(),
      'catalog.references',
      `select k.conname as name, array(select a.attname::text from pg_attribute a
           where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as columns
       from pg_constraint k join pg_namespace n on n.oid = k.connamespace
       join pg_class t on t.oid = k.confrelid
       where n.nspname = 'heddle' and k.contype = 'f' and t.relname not in ('tenant', 'api_key', 'run')`,
    )
    expect(found.length).toBeGreaterThan(12)
    const wide = found.filter(({ columns }) => !(columns as string[]).includes('scope_id'))
    expect(wide.map(({ name }) => name)).toEqual([])
  })

  it('lets the serving roles bypass nothing and own nothing', async () => {
    const found = await rows(
      engine(),
      'catalog.roles',
      `select rolname as name, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as strong,
         exists (select from pg_class c where c.relowner = r.oid) as owner
       from pg_roles r where rolname in ('heddle_app', 'heddle_dispatch') order by 1`,
    )
    expect(found).toEqual([
      { name: 'heddle_app', strong: false, owner: false },
      { name: 'heddle_dispatch', strong: false, owner: false },
    ])
  })

  it('lets nobody but the named roles execute its functions, and pins their search path', async () => {
    const open = await rows(
      engine(),
      'catalog.public_functions',
      `select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'heddle' and has_function_privilege('public', p.oid, 'execute')`,
    )
    expect(open).toEqual([])
    const unpinned = await rows(
      engine(),
      'catalog.unpinned_definers',
      `select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'heddle' and p.prosecdef
         and not exists (select from unnest(p.proconfig) s where s like 'search_path=%')`,
    )
    expect(unpinned).toEqual([])
  })
})
