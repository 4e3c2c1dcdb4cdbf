import type { Migration } from './migration-files.ts'
import type { PgTransaction } from './pg-transaction.ts'
import type { Statement } from './statement.ts'

/** Any fixed number: the key of the lock under which the schema changes. Local to the transaction, as the embedded engine needs. */
const LOCK_KEY = 4_803_177_241

const LOCK: Statement = {
  name: 'migration.lock',
  text: 'select pg_advisory_xact_lock($1::bigint)::text',
  values: [String(LOCK_KEY)],
}

const FIND_LEDGER: Statement = {
  name: 'migration.find_ledger',
  text: `select to_regclass('heddle_migration.applied') is not null as exists`,
  values: [],
}

/**
 * Beside the ledger stands the one way in which a migration may change rows of protected tables:
 * forced row-level security holds the owner too, so the force is lifted around the statement, inside
 * the migration's transaction and under the lock that ALTER TABLE takes.
 */
const CREATE_LEDGER = `
  create schema heddle_migration;
  create table heddle_migration.applied (
    version integer primary key,
    name text not null,
    sha256 text not null,
    breaking boolean not null,
    applied_at timestamptz not null default clock_timestamp()
  );
  create procedure heddle_migration.rewrite_rows(p_table regclass, p_statement text) language plpgsql as $$
  begin
    execute format('alter table %s no force row level security', p_table);
    execute p_statement;
    execute format('alter table %s force row level security', p_table);
  end $$;
  revoke execute on procedure heddle_migration.rewrite_rows(regclass, text) from public;
  grant usage on schema heddle_migration to heddle_app;
  grant select on heddle_migration.applied to heddle_app;`

const SELECT_APPLIED: Statement = {
  name: 'migration.select_applied',
  text: 'select version, name, sha256, breaking from heddle_migration.applied order by version',
  values: [],
}

/**
 * Under `row_security = off` the body of a function over protected tables does not even validate, so
 * all bodies are checked at the end, as their callers will find them: with the search path of the
 * function, which is always the same where one is set.
 */
const VALIDATE_FUNCTIONS = `
  set local row_security = on;
  set local check_function_bodies = on;
  ${validate('p.proconfig is null')}
  set local search_path = heddle, pg_temp;
  ${validate('p.proconfig is not null')}`

function validate(condition: string): string {
  return `
    select case l.lanname when 'sql' then fmgr_sql_validator(p.oid) else plpgsql_validator(p.oid) end
      from pg_proc p
        join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
      where n.nspname = 'heddle' and l.lanname in ('sql', 'plpgsql') and p.prosqlbody is null and ${condition};`
}

/** The first says whether the script ended our transaction, the second what it left unprotected. */
const SELECT_LEFTOVERS: Statement = {
  name: 'migration.select_leftovers',
  text: `
    select current_setting('heddle.migration', true) as marker,
      (select string_agg(c.relname, ', ' order by c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'heddle' and c.relrowsecurity and not c.relforcerowsecurity) as unforced`,
  values: [],
}

export interface AppliedMigration {
  readonly version: number
  readonly name: string
  readonly sha256: string
  readonly isBreaking: boolean
}

/** Waits for whoever else is changing the schema; the lock ends with the transaction. */
export async function lockLedger(tx: PgTransaction): Promise<void> {
  await tx.query(LOCK)
}

/** Makes the ledger when there is none. Needs the lock. */
export async function ensureLedger(tx: PgTransaction): Promise<void> {
  const [row] = await tx.query(FIND_LEDGER)
  if (row?.['exists'] !== true) await tx.runScript('migration.create_ledger', CREATE_LEDGER)
}

export async function readLedger(tx: PgTransaction): Promise<readonly AppliedMigration[]> {
  const rows = await tx.query(SELECT_APPLIED)
  return rows.map((row) => ({
    version: Number(row['version']),
    name: String(row['name']),
    sha256: String(row['sha256']),
    isBreaking: row['breaking'] === true,
  }))
}

export async function insertIntoLedger(tx: PgTransaction, migration: Migration): Promise<void> {
  const { version, name, sha256, isBreaking } = migration
  await tx.execute({
    name: 'migration.insert_applied',
    text: `
      with marker as (select set_config('heddle.migration', $1::int::text, true))
      insert into heddle_migration.applied (version, name, sha256, breaking)
      select $1::int, $2, $3, $4 from marker`,
    values: [version, name, sha256, isBreaking],
  })
}

/** Runs the text of a migration. A filtered statement is an error there and not a silent nothing. */
export async function runMigration(tx: PgTransaction, { version, text }: Migration): Promise<void> {
  const name = `migration.${String(version)}`
  const settings = 'set local row_security = off; set local check_function_bodies = off;'
  await tx.runScript(name, `${settings}\n${text}`)
  await tx.runScript(name, VALIDATE_FUNCTIONS)
}

/** What is wrong with the transaction after the script of a migration ran in it; undefined when nothing is. */
export async function findLeftovers(
  tx: PgTransaction,
  version: number,
): Promise<string | undefined> {
  const [row] = await tx.query(SELECT_LEFTOVERS)
  if (row?.['marker'] !== String(version)) return 'it ends the transaction that it runs in'
  const unforced = row['unforced']
  return typeof unforced === 'string'
    ? `it leaves row-level security without force on ${unforced}`
    : undefined
}
