import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'

import { parse as parseYaml } from 'yaml'

import { HeddleError, type Issue } from '../core/errors.ts'
import { findNearest } from '../core/nearest.ts'
import { DEFAULT_LIMITS } from '../operation/limits.ts'
import type { HeddleConfig } from './config.ts'
import { SETTINGS, Settings } from './settings.ts'

/** Settings as a program may pass them, over environment and file. */
export type SettingOverrides = Partial<Record<keyof typeof SETTINGS, unknown>>

/** Names with our prefix that belong to tests and to this loader itself. */
const NOT_SETTINGS = /^HEDDLE_(CONFIG|TEST_.*|REQUIRE_SERVICES)$/

/**
 * Reads overrides, then the environment, then the YAML file that `HEDDLE_CONFIG` names, in this order
 * of precedence, into one frozen configuration. The only reader of the environment.
 *
 * @throws HeddleError `CONFIG_INVALID` naming each setting and its rule; never a value.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  overrides: SettingOverrides = {},
): HeddleConfig {
  const given = {
    ...readFile(env.HEDDLE_CONFIG),
    ...fromEnvironment(env),
    ...dropUndefined(overrides),
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(SETTINGS, name))
  if (unknown.length > 0) throw invalid(unknown.map(unknownIssue))
  const parsed = Settings.safeParse(given)
  if (!parsed.success) {
    throw invalid(
      parsed.error.issues.map(({ path, code, message }) => ({
        path: path.map(String),
        code,
        message,
      })),
    )
  }
  if (parsed.data.DATABASE_URL === undefined && parsed.data.DATABASE_OWNER_URL !== undefined) {
    throw invalid([OWNER_WITHOUT_SERVER])
  }
  return seal(toConfig(parsed.data))
}

const OWNER_WITHOUT_SERVER: Issue = {
  path: ['DATABASE_URL'],
  code: 'required',
  message: 'Is needed beside DATABASE_OWNER_URL; without it Heddle would be embedded',
}

/** Empty variables count as unset; variables of other programs are not looked at. */
function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const isOurs =
      Object.hasOwn(SETTINGS, name) || (name.startsWith('HEDDLE_') && !NOT_SETTINGS.test(name))
    if (isOurs && value !== undefined && value !== '') found[name] = value
  }
  return found
}

function readFile(path: string | undefined): Record<string, unknown> {
  if (path === undefined || path === '') return {}
  let content: unknown
  try {
    content = parseYaml(readFileSync(path, 'utf8')) ?? {}
  } catch (cause) {
    throw invalid(
      [{ path: ['HEDDLE_CONFIG'], code: 'unreadable', message: 'The file cannot be read as YAML' }],
      cause,
    )
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw invalid([
      { path: ['HEDDLE_CONFIG'], code: 'invalid_type', message: 'Expected a mapping of settings' },
    ])
  }
  return { ...content }
}

function toConfig(settings: Settings): HeddleConfig {
  return {
    database: toDatabase(settings),
    ...(settings.NEO4J_URI !== undefined && { neo4j: toNeo4j(settings.NEO4J_URI, settings) }),
    local: toLocal(settings),
    http: {
      host: settings.HEDDLE_HOST,
      port: settings.HEDDLE_PORT,
      bodyLimitBytes: settings.HEDDLE_BODY_LIMIT_BYTES,
      shutdownTimeoutMs: settings.HEDDLE_SHUTDOWN_TIMEOUT_MS,
    },
    mcp: { tools: settings.HEDDLE_MCP_TOOLS, allowedOrigins: settings.HEDDLE_ALLOWED_ORIGINS },
    limits: {
      ...DEFAULT_LIMITS,
      kvScopeBytes: settings.HEDDLE_KV_SCOPE_BYTES,
      documentBytes: settings.HEDDLE_DOCUMENT_BYTES,
    },
    logLevel: settings.HEDDLE_LOG_LEVEL,
  }
}

function toDatabase(settings: Settings): HeddleConfig['database'] {
  const limits = {
    poolSize: settings.HEDDLE_POOL_SIZE,
    statementTimeoutMs: settings.HEDDLE_STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: settings.HEDDLE_CONNECT_TIMEOUT_MS,
  }
  if (settings.DATABASE_URL !== undefined) {
    const ownerUrl = settings.DATABASE_OWNER_URL
    return {
      kind: 'server',
      url: settings.DATABASE_URL,
      ...(ownerUrl !== undefined && { ownerUrl }),
      ...limits,
    }
  }
  return {
    kind: 'embedded',
    dataDir: toAbsolute(settings.HEDDLE_DATA_DIR ?? '~/.heddle'),
    ...limits,
  }
}

function toAbsolute(path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path
  return isAbsolute(expanded) ? expanded : resolve(expanded)
}

function toNeo4j(uri: string, settings: Settings): NonNullable<HeddleConfig['neo4j']> {
  return {
    uri,
    ...(settings.NEO4J_USER !== undefined && { user: settings.NEO4J_USER }),
    ...(settings.NEO4J_PASSWORD !== undefined && { password: settings.NEO4J_PASSWORD }),
    ...(settings.NEO4J_DATABASE !== undefined && { database: settings.NEO4J_DATABASE }),
    ...(settings.NEO4J_CA_FILE !== undefined && { caFile: settings.NEO4J_CA_FILE }),
  }
}

function toLocal(settings: Settings): HeddleConfig['local'] {
  return {
    ...(settings.HEDDLE_API_KEY !== undefined && { apiKey: settings.HEDDLE_API_KEY }),
    tenant: settings.HEDDLE_TENANT,
    agent: settings.HEDDLE_AGENT,
    ...(settings.HEDDLE_USER !== undefined && { user: settings.HEDDLE_USER }),
    ...(settings.HEDDLE_SESSION !== undefined && { session: settings.HEDDLE_SESSION }),
    ...(settings.HEDDLE_MODEL !== undefined && { model: settings.HEDDLE_MODEL }),
    grants: settings.HEDDLE_GRANTS,
    isolated: settings.HEDDLE_ISOLATED,
  }
}

function unknownIssue(name: string): Issue {
  const nearest = findNearest(name.toUpperCase(), Object.keys(SETTINGS))
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  return { path: [name], code: 'unknown_setting', message: `Unknown setting ${name}${hint}` }
}

function invalid(issues: readonly Issue[], cause?: unknown): HeddleError {
  const lines = issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return new HeddleError('CONFIG_INVALID', {
    message: `The configuration is not valid. ${lines.join('; ')}`,
    issues,
    cause,
  })
}

function dropUndefined(values: SettingOverrides): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Fields that stay out of JSON, spreads and log lines. */
const SECRETS = new Set(['url', 'ownerUrl', 'password', 'apiKey'])

function seal<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(seal)
    for (const name of Object.keys(value)) {
      if (SECRETS.has(name)) Object.defineProperty(value, name, { enumerable: false })
    }
    Object.freeze(value)
  }
  return value
}
