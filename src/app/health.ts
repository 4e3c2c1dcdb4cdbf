import type { Neo4jEngine } from '../engines/neo4j/engine.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import type { ComponentHealth } from '../memory/heddle.ts'

export interface HealthTargets {
  readonly postgres: PostgresEngine
  readonly neo4j?: Neo4jEngine
}

/** Longest wait for one component, in milliseconds. */
const LIMIT_MS = 3_000

/** Asks every component at once; one that does not answer in time is not ok. */
export function checkHealth(
  { postgres, neo4j }: HealthTargets,
  signal: AbortSignal,
): Promise<readonly ComponentHealth[]> {
  const checks = [
    toComponent('postgres', true, (limit) => postgres.health({ signal: limit }), signal),
  ]
  if (neo4j !== undefined) {
    checks.push(toComponent('neo4j', false, (limit) => neo4j.health({ signal: limit }), signal))
  }
  return Promise.all(checks)
}

interface Answer {
  readonly ok: boolean
}

async function toComponent(
  name: ComponentHealth['name'],
  required: boolean,
  ask: (limit: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): Promise<ComponentHealth> {
  try {
    const { ok, ...rest } = await ask(AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]))
    return { name, ok, required, details: onlyScalars(rest) }
  } catch {
    return { name, ok: false, required, details: { code: 'ENGINE_UNAVAILABLE' } }
  }
}

function onlyScalars(values: object): ComponentHealth['details'] {
  const scalars: Record<string, string | number | boolean> = {}
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      scalars[key] = value
    }
  }
  return scalars
}
