import neo4j from 'neo4j-driver'

import { HeddleError } from '../../core/errors.ts'
import { assertCaFile } from './assert-ca-file.ts'
import { makeNeo4jConfig, type Neo4jConfig, type Neo4jOptions } from './config.ts'
import { makeDriverArguments } from './driver-arguments.ts'
import { DriverEngine } from './driver-engine.ts'
import type { Neo4jEngine } from './engine.ts'
import { loadMigrations } from './load-migrations.ts'
import type { Migration } from './migration.ts'
import { Migrator } from './migrator.ts'
import { TransactionRunner } from './transaction-runner.ts'

export interface OpenNeo4jDeps {
  /** Gives up the opening; everything is closed again. */
  readonly signal?: AbortSignal
  /** In [0, 1); spreads repetitions. Default `Math.random`. */
  readonly random?: () => number
  /** Default: the migrations beside this file. */
  readonly migrations?: readonly Migration[]
  /** The ledger those migrations are entered in; default `graph`. */
  readonly series?: string
}

/**
 * Opens Neo4j: connects, checks credentials, warms the whole path up with a real read and looks at
 * the schema. Must be closed.
 *
 * @throws HeddleError `CONFIG_INVALID`; `ENGINE_UNAVAILABLE` within twice `connectTimeoutMs` when the
 * server cannot be reached (details `reason`: `connection`, `authentication`, `database`,
 * `deadline`), unless `startup` is `optional`; `SCHEMA_BEHIND`, `SCHEMA_NEWER`, `MIGRATION_FAILED`;
 * `CANCELLED`.
 */
export async function openNeo4jEngine(
  options: Neo4jOptions,
  deps: OpenNeo4jDeps = {},
): Promise<Neo4jEngine> {
  const config = makeNeo4jConfig(options)
  if (config.tls !== undefined && 'caFile' in config.tls) await assertCaFile(config.tls.caFile)
  const migrations = deps.migrations ?? (await loadMigrations())
  const driver = createDriver(config)
  const runner = new TransactionRunner({ driver, config, random: deps.random ?? Math.random })
  const migrator = new Migrator({
    runner,
    migrations,
    series: deps.series ?? 'graph',
    timeoutMs: config.migrationTimeoutMs,
    logger: config.logger,
  })
  const engine = new DriverEngine({ driver, config, runner, migrator })
  try {
    await engine.start(deps.signal)
  } catch (thrown) {
    await engine.close()
    throw thrown
  }
  return engine
}

/** Nothing is connected yet; what fails here is what the driver itself finds wrong. */
function createDriver(config: Neo4jConfig): ReturnType<typeof neo4j.driver> {
  const { uri, auth, config: driverConfig } = makeDriverArguments(config)
  try {
    return neo4j.driver(uri, auth, driverConfig)
  } catch (cause) {
    throw new HeddleError('CONFIG_INVALID', { cause, details: { engine: 'neo4j' } })
  }
}
