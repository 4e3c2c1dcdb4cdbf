import type { HeddleConfig } from '../config/config.ts'
import { DEFAULT_TENANT } from '../config/settings.ts'
import { HeddleError } from '../core/errors.ts'
import { newRandomId } from '../core/ids.ts'
import type { Logger } from '../core/logger.ts'
import { DEFAULT_EMBEDDED_SETTINGS, DEFAULT_SERVER_SETTINGS } from '../engines/postgres/config.ts'
import { openEmbeddedEngine } from '../engines/postgres/embedded/embedded-engine.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { assertSchemaCurrent } from '../engines/postgres/schema-check.ts'
import { openServerEngine } from '../engines/postgres/server-engine.ts'
import { createTenant } from '../identity/tenants.ts'

/**
 * What opening does about the schema of a server: refuse one that does not fit, apply what is missing,
 * or leave it alone (for `heddle doctor`). The embedded engine always migrates.
 */
export type SchemaMode = 'check' | 'migrate' | 'none'

export interface OpenPostgresOptions {
  readonly schema: SchemaMode
  /** Do not wait for a server that refuses connections. */
  readonly isImpatient: boolean
}

/** Opens the engine of the configuration; the embedded one also gets the tenant that local processes use. */
export async function openPostgres(
  config: HeddleConfig,
  logger: Logger,
  { schema, isImpatient }: OpenPostgresOptions,
): Promise<PostgresEngine> {
  const { database } = config
  const { poolSize, statementTimeoutMs, connectTimeoutMs } = database
  const common = { poolSize, statementTimeoutMs, connectTimeoutMs, logger }
  if (database.kind === 'embedded') {
    const engine = await openEmbeddedEngine({
      ...DEFAULT_EMBEDDED_SETTINGS,
      ...common,
      kind: 'embedded',
      dataDir: database.dataDir,
    })
    // Only the default one by itself: a mistyped name must not make a tenant.
    if (schema === 'migrate' || config.local.tenant === DEFAULT_TENANT) {
      await ensureTenant(engine, config.local.tenant)
    }
    return engine
  }
  const engine = openServerEngine({
    ...DEFAULT_SERVER_SETTINGS,
    ...common,
    kind: 'server',
    appUrl: database.url,
    ...(database.ownerUrl !== undefined && { ownerUrl: database.ownerUrl }),
  })
  try {
    await prepareSchema(engine, config, schema, isImpatient)
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function prepareSchema(
  engine: PostgresEngine,
  config: HeddleConfig,
  schema: SchemaMode,
  isImpatient: boolean,
): Promise<void> {
  if (schema === 'none') return
  if (schema === 'migrate') {
    await engine.migrate({ isImpatient })
    await ensureTenant(engine, config.local.tenant)
  }
  // The owner migrated; this asks as the serving role, so that one that cannot log in is told at once.
  await assertSchemaCurrent(engine, { isImpatient })
}

async function ensureTenant(engine: PostgresEngine, name: string): Promise<void> {
  try {
    await createTenant(engine, newRandomId, name, new AbortController().signal)
  } catch (error) {
    if (!(error instanceof HeddleError && error.code === 'TENANT_EXISTS')) throw error
  }
}
