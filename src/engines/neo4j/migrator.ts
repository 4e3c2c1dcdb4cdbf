import { HeddleError, toHeddleError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { MigrationReport } from '../postgres/engine.ts'
import { neo4jCodeOf } from './classify-neo4j-error.ts'
import type { Neo4jCallOptions } from './engine.ts'
import {
  awaitIndex,
  insertLedgerEntry,
  LEDGER_SCHEMA,
  lockSeries,
  selectConstraint,
  selectLedger,
} from './ledger-statements.ts'
import type { Migration } from './migration.ts'
import { type LedgerEntry, newestVersion, planMigrations } from './plan-migrations.ts'
import type { CypherRecord, CypherStatement } from './statement.ts'
import type { AccessMode } from './transaction-attempt.ts'
import type { TransactionRunner } from './transaction-runner.ts'
import { toText } from './values.ts'

export interface MigratorDeps {
  readonly runner: TransactionRunner
  readonly migrations: readonly Migration[]
  /** Which ledger of the database; the graph's own is `graph`. */
  readonly series: string
  readonly timeoutMs: number
  readonly logger: Logger
}

type Applied = MigrationReport['applied'][number]

/**
 * Applies migrations in order.
 *
 * One process works at a time: it holds the write lock of a lock node in a transaction that stays
 * open meanwhile, so the lock dies with its connection. Schema statements cannot share a transaction
 * with writes, so they run in a transaction of their own beside the lock, and the ledger row follows
 * when their indexes are online. Losing the lock halfway does no harm: schema statements are
 * repeatable, and a data migration shares its transaction with its ledger row, which is unique.
 */
export class Migrator {
  readonly #deps: MigratorDeps

  constructor(deps: MigratorDeps) {
    this.#deps = deps
  }

  /** @throws HeddleError `SCHEMA_NEWER`, `MIGRATION_FAILED`, `ENGINE_*`, `CANCELLED`. */
  async migrate(signal?: AbortSignal): Promise<MigrationReport> {
    await this.#ensureConstraint(LEDGER_SCHEMA.lock, signal)
    const { value } = await this.#deps.runner.run('write', this.#options(signal), async (lock) => {
      await lock.run(lockSeries(this.#deps.series))
      return this.#migrateLocked(signal)
    })
    return value
  }

  /**
   * The number of the newest applied migration.
   *
   * @throws HeddleError `SCHEMA_BEHIND`, `SCHEMA_NEWER`, or `MIGRATION_FAILED` for a changed text.
   */
  async requireCurrent(options: Neo4jCallOptions): Promise<number> {
    const ledger = await this.#readLedger('read', options)
    const pending = planMigrations(this.#deps.migrations, ledger)
    if (pending.length > 0) {
      throw new HeddleError('SCHEMA_BEHIND', {
        details: { engine: 'neo4j', found: newestVersion(ledger), pending: pending.length },
      })
    }
    return newestVersion(ledger)
  }

  /** The number of the newest applied migration, whether this program knows it or not; 0 when there is none. */
  async readVersion(options: Neo4jCallOptions): Promise<number> {
    return newestVersion(await this.#readLedger('read', options))
  }

  async #migrateLocked(signal: AbortSignal | undefined): Promise<MigrationReport> {
    await this.#ensureConstraint(LEDGER_SCHEMA.ledger, signal)
    // The leader of a cluster alone is sure to know the newest row, and it serves the writes.
    const ledger = await this.#readLedger('write', this.#options(signal))
    const from = newestVersion(ledger)
    const applied: Applied[] = []
    for (const migration of planMigrations(this.#deps.migrations, ledger)) {
      applied.push(await this.#apply(migration, signal))
    }
    return { from, to: applied.at(-1)?.version ?? from, applied }
  }

  async #readLedger(mode: AccessMode, options: Neo4jCallOptions): Promise<readonly LedgerEntry[]> {
    const { runner, series } = this.#deps
    const { value } = await runner.run(mode, options, (tx) => tx.run(selectLedger(series)))
    return value.map((row) => ({
      version: Number(row['version']),
      name: toText(row['name']),
      checksum: toText(row['checksum']),
    }))
  }

  async #apply(migration: Migration, signal: AbortSignal | undefined): Promise<Applied> {
    const { version, name } = migration
    const startedMs = Date.now()
    try {
      if (migration.kind === 'schema') await this.#applySchema(migration, signal)
      else await this.#applyData(migration, signal)
    } catch (thrown) {
      throw toMigrationError(thrown, migration)
    }
    const ms = Date.now() - startedMs
    this.#deps.logger.info('engine.neo4j_migrated', { version, name, ms })
    return { version, name, ms }
  }

  async #applySchema(migration: Migration, signal: AbortSignal | undefined): Promise<void> {
    const { series, timeoutMs } = this.#deps
    await this.#runAll(toStatements(migration), signal)
    const seconds = Math.ceil(timeoutMs / 1000)
    for (const name of migration.creates) await this.#run(awaitIndex(name, seconds), signal)
    await this.#run(insertLedgerEntry(series, migration), signal)
  }

  async #applyData(migration: Migration, signal: AbortSignal | undefined): Promise<void> {
    const entry = insertLedgerEntry(this.#deps.series, migration)
    await this.#runAll([...toStatements(migration), entry], signal)
  }

  /**
   * Looks before it creates: even a creation that finds its constraint waits for every transaction
   * that touches the label, and so for the lock of a migration that runs.
   */
  async #ensureConstraint(
    { name, create }: { readonly name: string; readonly create: CypherStatement },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (await this.#hasConstraint(name, signal)) return
    try {
      await this.#run(create, signal)
    } catch (thrown) {
      // Somebody may have created it in the same moment; that is as good.
      if (!(await this.#hasConstraint(name, signal))) throw thrown
    }
  }

  async #hasConstraint(name: string, signal: AbortSignal | undefined): Promise<boolean> {
    return (await this.#run(selectConstraint(name), signal)).length > 0
  }

  async #run(
    statement: CypherStatement,
    signal: AbortSignal | undefined,
  ): Promise<readonly CypherRecord[]> {
    const [rows = []] = await this.#runAll([statement], signal)
    return rows
  }

  async #runAll(
    statements: readonly CypherStatement[],
    signal: AbortSignal | undefined,
  ): Promise<(readonly CypherRecord[])[]> {
    const { value } = await this.#deps.runner.run('write', this.#options(signal), async (tx) => {
      const results: (readonly CypherRecord[])[] = []
      for (const statement of statements) results.push(await tx.run(statement))
      return results
    })
    return value
  }

  #options(signal: AbortSignal | undefined): Neo4jCallOptions {
    const { timeoutMs } = this.#deps
    return signal === undefined ? { timeoutMs } : { timeoutMs, signal }
  }
}

function toStatements({ version, statements }: Migration): CypherStatement[] {
  return statements.map((text, index) => ({
    name: `migration.${version}_${index + 1}`,
    text,
    values: {},
  }))
}

/** A refusal of the server is the migration's fault; an unreachable server or a caller who gave up is not. */
function toMigrationError(thrown: unknown, { version, name }: Migration): HeddleError {
  const error = toHeddleError(thrown)
  if (error.code !== 'ENGINE_FAILED') return error
  const neo4jCode = neo4jCodeOf(error)
  const statement = error.details['statement']
  return new HeddleError('MIGRATION_FAILED', {
    details: {
      engine: 'neo4j',
      version,
      migration: name,
      ...(neo4jCode === undefined ? {} : { neo4jCode }),
      ...(statement === undefined ? {} : { statement }),
    },
    cause: error,
  })
}
