import type { Migration } from './migration.ts'
import type { CypherStatement } from './statement.ts'

const LOCK_CONSTRAINT = 'heddle_migration_lock_series'
const LEDGER_CONSTRAINT = 'heddle_migration_series_version'

/** The two constraints the migrator itself stands on, made before any migration. */
export const LEDGER_SCHEMA = {
  lock: {
    name: LOCK_CONSTRAINT,
    create: {
      name: 'migration_lock.create_constraint',
      text: `
        CREATE CONSTRAINT ${LOCK_CONSTRAINT} IF NOT EXISTS
        FOR (lock:HeddleMigrationLock) REQUIRE lock.series IS UNIQUE`,
      values: {},
    },
  },
  ledger: {
    name: LEDGER_CONSTRAINT,
    create: {
      name: 'migration.create_constraint',
      text: `
        CREATE CONSTRAINT ${LEDGER_CONSTRAINT} IF NOT EXISTS
        FOR (migration:HeddleMigration) REQUIRE (migration.series, migration.version) IS UNIQUE`,
      values: {},
    },
  },
} as const satisfies Record<string, { name: string; create: CypherStatement }>

/** One row when a constraint of that name exists. */
export function selectConstraint(name: string): CypherStatement {
  return {
    name: 'migration.select_constraint',
    text: 'SHOW CONSTRAINTS YIELD name WHERE name = $name RETURN name',
    values: { name },
  }
}

/** Takes the write lock of the series' lock node, and waits for it; it ends with the transaction. */
export function lockSeries(series: string): CypherStatement {
  return {
    name: 'migration_lock.take',
    text: `
      MERGE (lock:HeddleMigrationLock {series: $series})
      SET lock.taken = coalesce(lock.taken, 0) + 1`,
    values: { series },
  }
}

/** Rows `version`, `name`, `checksum` in order. */
export function selectLedger(series: string): CypherStatement {
  return {
    name: 'migration.select_ledger',
    text: `
      MATCH (migration:HeddleMigration {series: $series})
      RETURN migration.version AS version, migration.name AS name, migration.checksum AS checksum
      ORDER BY version`,
    values: { series },
  }
}

export function insertLedgerEntry(
  series: string,
  { version, name, checksum }: Migration,
): CypherStatement {
  return {
    name: 'migration.insert_ledger',
    text: `
      CREATE (:HeddleMigration {
        series: $series, version: $version, name: $name, checksum: $checksum,
        insertedAt: timestamp() * 1000
      })`,
    values: { series, version: BigInt(version), name, checksum },
  }
}

/** Waits until the named index, or the index behind the named constraint, is online; fails when it cannot be. */
export function awaitIndex(name: string, timeoutSeconds: number): CypherStatement {
  return {
    name: 'migration.await_index',
    text: 'CALL db.awaitIndex($name, $timeoutSeconds)',
    values: { name, timeoutSeconds: BigInt(timeoutSeconds) },
  }
}
