import { firstValueOf, makeQuery } from './protocol.ts'

/** Runs protocol messages in a session that nobody else uses meanwhile; false when they were not finished. */
export type RunMessages = (
  bytes: Buffer,
  limitMs: number,
  onOutput: (bytes: Buffer) => void,
) => Promise<boolean>

const LOOK_AT_LOG_MS = 1_000
const LOOK_AT_TABLES_MS = 10_000
const LIMIT_MS = 60_000

/** Settings, role, prepared statements, cursors, temporary tables, advisory locks, LISTEN. */
export const DISCARD = makeQuery('discard all')

const CHECKPOINT = makeQuery(`do $$ begin
  if (select pg_current_wal_insert_lsn() - redo_lsn from pg_control_checkpoint()) > 32 * 1024 * 1024 then
    checkpoint;
  end if;
end $$`)

/**
 * The table that needs it most, by the thresholds that a server's autovacuum uses. Cleaning the
 * indexes of a big one would hold everybody up, so there only the table itself is cleaned.
 */
const PICK_TABLE = makeQuery(`
  select format('vacuum (analyze, index_cleanup %s) %s',
    case when pg_total_relation_size(relid) < 128 * 1024 * 1024 then 'auto' else 'off' end, relid::regclass)
  from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup
    or n_mod_since_analyze > 50 + 0.1 * n_live_tup
    or n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
  order by n_dead_tup + n_mod_since_analyze desc limit 1`)

/**
 * What background processes do on a server and nobody does in WebAssembly: without checkpoints the
 * log grows for as long as the host lives, and whoever takes over after a crash replays all of it;
 * without vacuum, tables grow with every update and the planner knows nothing about them.
 */
export class Housekeeping {
  readonly #run: RunMessages
  #logAt = performance.now()
  #tablesAt = performance.now()

  constructor(run: RunMessages) {
    this.#run = run
  }

  /** Whether there may be something to do; asked between transactions. */
  isDue(isQuiet: boolean): boolean {
    const now = performance.now()
    return (
      now - this.#logAt >= LOOK_AT_LOG_MS || (isQuiet && now - this.#tablesAt >= LOOK_AT_TABLES_MS)
    )
  }

  /** Does a piece of it. Tables are only cleaned when nobody waits. */
  async tidy(isQuiet: boolean): Promise<void> {
    this.#logAt = performance.now()
    // As the superuser, whatever role the last client has left behind.
    if (!(await this.#do(Buffer.concat([DISCARD, CHECKPOINT])))) return
    if (!isQuiet || this.#logAt - this.#tablesAt < LOOK_AT_TABLES_MS) return
    this.#tablesAt = this.#logAt
    const answer: Buffer[] = []
    const isPicked = await this.#run(PICK_TABLE, LIMIT_MS, (bytes) => answer.push(bytes))
    const vacuum = isPicked ? firstValueOf(Buffer.concat(answer)) : undefined
    if (vacuum !== undefined) await this.#do(makeQuery(vacuum))
  }

  #do(bytes: Buffer): Promise<boolean> {
    return this.#run(bytes, LIMIT_MS, () => undefined)
  }
}
