import { loadConfig } from '../../src/config/load-config.ts'
import { type Heddle, openHeddle } from '../../src/index.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import { resolveServices } from '../../test/support/resolve-services.ts'

export interface BenchHeddle extends AsyncDisposable {
  readonly heddle: Heddle
}

/** Heddle in this process over a new database of the native Postgres that tests use too. */
export async function openNative(): Promise<BenchHeddle> {
  const found = await resolveServices(process.env)
  const { postgres18 } = found.services
  if (postgres18 === undefined) throw new Error(found.missing.join('\n'))
  const database = await createTestDatabase(postgres18)
  const config = loadConfig({
    DATABASE_URL: database.appUrl,
    DATABASE_OWNER_URL: database.adminUrl,
    HEDDLE_LOG_LEVEL: 'error',
  })
  const heddle = await openHeddle(config, { schema: 'migrate' })
  return {
    heddle,
    [Symbol.asyncDispose]: async () => {
      await heddle.close()
      await database.drop()
      await found.stop()
    },
  }
}
