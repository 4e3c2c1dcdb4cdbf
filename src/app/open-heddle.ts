import type { HeddleConfig } from '../config/config.ts'
import { newRandomId } from '../core/ids.ts'
import { type Logger, makeJsonLogger } from '../core/logger.ts'
import { ReleaseStack } from '../core/release-stack.ts'
import { authenticate } from '../identity/authenticate.ts'
import { endLocalRun, endRun, startRun } from '../identity/runs.ts'
import type { Heddle } from '../memory/heddle.ts'
import { startMaintenance } from '../memory/maintenance.ts'
import { callMemory, type MemoryDeps } from '../memory/router.ts'
import { checkHealth } from './health.ts'
import { openLocalIdentity } from './local-identity.ts'
import { openNeo4j } from './open-neo4j.ts'
import { openPostgres, type SchemaMode } from './open-postgres.ts'

export interface OpenHeddleOptions {
  /** See {@link SchemaMode}; default `check`. */
  readonly schema?: SchemaMode
  /** Sweep expired entries and ended runs in the background. Default true. */
  readonly maintenance?: boolean
  /** Fail at once when the Postgres server refuses connections, instead of trying until the connect limit. Default false. */
  readonly isImpatient?: boolean
  /** Default: JSON lines on standard error from `config.logLevel` up. */
  readonly logger?: Logger
}

/**
 * Opens the engines that the configuration names and gives the one object that every surface works
 * with. Close it to end them.
 *
 * @throws HeddleError `DATA_FOLDER_UNUSABLE`, `ENGINE_UNAVAILABLE`, `ENGINE_LOGIN_REFUSED`, `SCHEMA_BEHIND`, `SCHEMA_NEWER`, `MIGRATION_FAILED`.
 */
export async function openHeddle(
  config: HeddleConfig,
  options: OpenHeddleOptions = {},
): Promise<Heddle> {
  const logger =
    options.logger ?? makeJsonLogger(config.logLevel, (line) => process.stderr.write(line))
  const releases = new ReleaseStack()
  try {
    const { schema = 'check', isImpatient = false } = options
    const postgres = await openPostgres(config, logger, { schema, isImpatient })
    releases.add(postgres, (engine) => engine.close())
    const neo4j = await openNeo4j(config, logger)
    if (neo4j !== undefined) releases.add(neo4j, (engine) => engine.close())
    const deps: MemoryDeps = { engine: postgres, limits: config.limits, newId: newRandomId, logger }
    if (options.maintenance !== false) {
      releases.add(startMaintenance(deps), (maintenance) => maintenance.stop())
    }
    return {
      config,
      logger,
      postgres,
      call: (identity, request, call) => callMemory(deps, identity, request, call),
      authenticate: (token, { signal }) => authenticate(postgres, token, signal),
      startRun: (credential, request, { signal }) =>
        startRun(postgres, newRandomId, credential, request, signal),
      endRun: (credential, runId, { signal }) => endRun(postgres, credential, runId, signal),
      openLocalIdentity: (call) => openLocalIdentity(postgres, config.local, call),
      endLocalRun: (identity, { signal }) => endLocalRun(postgres, identity, signal),
      health: ({ signal }) => checkHealth({ postgres, ...(neo4j && { neo4j }) }, signal),
      close: () => releases.close(),
      [Symbol.asyncDispose]: () => releases.close(),
    }
  } catch (error) {
    await releases.close()
    throw error
  }
}
