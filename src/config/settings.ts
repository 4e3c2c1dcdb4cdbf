import { z } from 'zod'

import { GRANTS, isGrant } from '../identity/grants.ts'
import { NAME, TENANT_NAME } from '../identity/names.ts'
import { DEFAULT_LIMITS } from '../operation/limits.ts'

const text = z.string().min(1)
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1')

/** The tenant of local processes when none is named. */
export const DEFAULT_TENANT = 'default'

const origins = z
  .union([z.array(z.string()), z.string()])
  .transform((value) =>
    (typeof value === 'string' ? value.split(',') : value)
      .map((origin) => origin.trim())
      .filter(Boolean),
  )

const grants = z.union([z.array(z.string()), z.string()]).transform((value, context) => {
  const names = (typeof value === 'string' ? value.split(',') : value)
    .map((name) => name.trim())
    .filter(Boolean)
  const unknown = names.filter((name) => !isGrant(name))
  for (const name of unknown) {
    context.addIssue({
      code: 'custom',
      message: `Unknown grant "${name}"; known are ${GRANTS.join(', ')}`,
    })
  }
  return names.filter((name) => isGrant(name))
})

/**
 * Every setting, once. The key is the name of the environment variable and, in the configuration
 * file, of the field. `description` is what `docs/reference/configuration.md` shows.
 */
export const SETTINGS = {
  DATABASE_URL: text
    .optional()
    .describe(
      'PostgreSQL URL of the serving role, `heddle_app`; `migrate` lets a new one log in with its password. Unset: the embedded engine',
    ),
  DATABASE_OWNER_URL: text
    .optional()
    .describe(
      'PostgreSQL URL with the right to migrate; needed by `migrate`, `tenants` and `keys` on a server',
    ),
  NEO4J_URI: text.optional().describe('`neo4j://`, `bolt://` or their +s forms. Unset: no Neo4j'),
  NEO4J_USER: text.optional().describe('Neo4j user'),
  NEO4J_PASSWORD: text.optional().describe('Neo4j password'),
  NEO4J_DATABASE: text.optional().describe('Neo4j database; default the server’s'),
  NEO4J_CA_FILE: text.optional().describe('PEM file of the authority of the Neo4j certificate'),
  HEDDLE_DATA_DIR: text.optional().describe('Folder of the embedded engine; default `~/.heddle`'),
  HEDDLE_POOL_SIZE: count(1, 200).default(10).describe('Connections to Postgres'),
  HEDDLE_STATEMENT_TIMEOUT_MS: count(100, 600_000)
    .default(30_000)
    .describe('Longest time of one statement'),
  HEDDLE_CONNECT_TIMEOUT_MS: count(100, 120_000)
    .default(10_000)
    .describe('Longest wait for a connection; embedded this covers the take-over from a dead host'),
  HEDDLE_API_KEY: text
    .optional()
    .describe('Key or run token of the local process, instead of the HEDDLE_TENANT … fields'),
  HEDDLE_TENANT: TENANT_NAME.default(DEFAULT_TENANT).describe('Tenant of the local process'),
  HEDDLE_AGENT: NAME.default('local').describe('Agent name of the local process'),
  HEDDLE_USER: NAME.optional().describe(
    'User of the local process; then the narrowest scope is the user',
  ),
  HEDDLE_SESSION: NAME.optional().describe('Session of the local process'),
  HEDDLE_MODEL: NAME.optional().describe('Model that the local process runs'),
  HEDDLE_GRANTS: grants
    .default(['tenant:read', 'tenant:write'])
    .describe('Comma-separated grants of the local process'),
  HEDDLE_ISOLATED: flag
    .default(false)
    .describe('Whether the local process reaches nothing beyond its narrowest scope'),
  HEDDLE_HOST: text.default('127.0.0.1').describe('Address that `heddle serve` listens on'),
  HEDDLE_PORT: count(0, 65_535)
    .default(7077)
    .describe('Port that `heddle serve` listens on; 0 picks one'),
  HEDDLE_BODY_LIMIT_BYTES: count(1024, 268_435_456)
    .default(16 * 1024 * 1024)
    .describe('Largest HTTP body, and largest message to `heddle mcp`'),
  HEDDLE_SHUTDOWN_TIMEOUT_MS: count(0, 600_000)
    .default(10_000)
    .describe('How long a stopping server waits for calls in flight'),
  HEDDLE_MCP_TOOLS: z
    .enum(['single', 'per-operation'])
    .default('single')
    .describe('One `memory` tool, or one tool per operation'),
  HEDDLE_ALLOWED_ORIGINS: origins
    .default([])
    .describe(
      'Comma-separated origins of web pages that may call `/mcp`; those of this machine always may',
    ),
  HEDDLE_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least level of log lines on standard error'),
  HEDDLE_KV_SCOPE_BYTES: count(1, Number.MAX_SAFE_INTEGER)
    .default(DEFAULT_LIMITS.kvScopeBytes)
    .describe('Bytes of keys and values that one scope may hold'),
  HEDDLE_DOCUMENT_BYTES: count(1, 64 * 1024 * 1024)
    .default(DEFAULT_LIMITS.documentBytes)
    .describe('Bytes of one document'),
} as const satisfies Record<string, z.ZodType>

export const Settings = z.strictObject(SETTINGS)
export type Settings = z.output<typeof Settings>
