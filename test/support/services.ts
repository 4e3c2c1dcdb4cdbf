/** The real services that this run's tests use; `global-setup.ts` finds them and provides their URLs. */
import { describe, inject } from 'vitest'

/** URLs of the services that answered. The Postgres ones are a superuser's. */
export interface TestServices {
  readonly postgres18?: string
  readonly postgres15?: string
  /** Bolt URL; credentials, where the server wants any, are its user part. */
  readonly neo4j?: string
}

export type ServiceName = keyof TestServices

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices
    /** Unique per run; part of the names of its template databases. */
    testRun: string
  }
}

/** The variable that names each service, and what `scripts/services` calls it. */
export const SERVICE_NAMES = {
  postgres18: { variable: 'HEDDLE_TEST_DATABASE_URL', native: 'pg18' },
  postgres15: { variable: 'HEDDLE_TEST_DATABASE_URL_15', native: 'pg15' },
  neo4j: { variable: 'HEDDLE_TEST_NEO4J_URL', native: 'neo4j' },
} as const satisfies Record<ServiceName, { variable: string; native: string }>

/** The services of this run. Only inside a test worker. */
function services(): TestServices {
  return inject('services')
}

/** The URL of one service; throws when it is not there. Call it inside `describeWith` suites. */
export function requireService(name: ServiceName): string {
  const url = services()[name]
  if (url === undefined) throw new Error(missingLine(name))
  return url
}

/** `describe`, or `describe.skip` when one of the named services is missing. */
export function describeWith(
  ...names: readonly ServiceName[]
): typeof describe | typeof describe.skip {
  const present = services()
  return names.every((name) => present[name] !== undefined) ? describe : describe.skip
}

/** Splits a Bolt URL into what the driver wants. A server without authentication ignores the user. */
export function neo4jConnection(url: string): { uri: string; user: string; password: string } {
  const parsed = new URL(url)
  const user = decodeURIComponent(parsed.username) || 'neo4j'
  const password = decodeURIComponent(parsed.password) || 'neo4j'
  return { uri: `${parsed.protocol}//${parsed.host}`, user, password }
}

/** What to do about a service that is not there. */
export function missingLine(name: ServiceName): string {
  const { variable, native } = SERVICE_NAMES[name]
  return `${name} is missing: start Docker, or run 'scripts/services start ${native}', or set ${variable}`
}
