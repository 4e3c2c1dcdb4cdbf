import { HeddleError, type Issue } from '../../core/errors.ts'
import { type Logger, SILENT_LOGGER } from '../../core/logger.ts'

/** Who signs the server's certificate: the authorities of the system, or those of one PEM file. */
type Neo4jTls = { readonly ca: 'system' } | { readonly caFile: string }

export interface Neo4jOptions {
  /**
   * `neo4j://` (routing; right for single servers too) or `bolt://` (exactly this server). `+s` asks
   * for TLS, `+ssc` for TLS without checking the certificate. No credentials, no path.
   */
  readonly uri: string
  /** Absent for a server without authentication. */
  readonly auth?: { readonly user: string; readonly password: string }
  /** Default: the user's home database. */
  readonly database?: string
  /** TLS with a checked certificate; with `+s` a `caFile` replaces the system's authorities. */
  readonly tls?: Neo4jTls
  /** Most connections per server, at least 2; default 20. */
  readonly maxPoolSize?: number
  /** Limit of connecting; a start, or a check in the background, gives up after twice this. Default 5,000. */
  readonly connectTimeoutMs?: number
  /** Limit of one call unless it names its own; default 30,000. */
  readonly transactionTimeoutMs?: number
  /** No repetition of a transaction starts later than this after its call began; default 10,000. */
  readonly maxRetryTimeMs?: number
  /** Limit of applying the schema, waiting for another process that does so included; default 300,000. */
  readonly migrationTimeoutMs?: number
  /** How often an unreachable server is tried again; default 1,000. */
  readonly recheckMs?: number
  /** How long `close` lets calls in flight go on; default 5,000. */
  readonly closeGraceMs?: number
  /**
   * `required` (the default): opening fails when the server cannot be reached. `optional`: opening
   * succeeds with `status.state` `down`, and the engine comes up by itself later.
   */
  readonly startup?: 'required' | 'optional'
  /**
   * What is done about the schema each time the server is found: `check` (the default) refuses one
   * that is older or newer, `migrate` applies what is missing, `none` leaves it alone.
   */
  readonly schema?: 'check' | 'migrate' | 'none'
  readonly logger?: Logger
}

/** {@link Neo4jOptions} with every default filled in; frozen. The password is not enumerable. */
export type Neo4jConfig = Readonly<
  Required<Omit<Neo4jOptions, 'auth' | 'database' | 'tls'>> &
    Pick<Neo4jOptions, 'auth' | 'database' | 'tls'>
>

const DEFAULTS = {
  maxPoolSize: 20,
  connectTimeoutMs: 5_000,
  transactionTimeoutMs: 30_000,
  maxRetryTimeMs: 10_000,
  migrationTimeoutMs: 300_000,
  recheckMs: 1_000,
  closeGraceMs: 5_000,
} as const

type NumberOption = keyof typeof DEFAULTS

/** The least value that makes sense: a migration holds its lock in one connection and works in another. */
const MINIMUM: Readonly<Record<NumberOption, number>> = {
  maxPoolSize: 2,
  connectTimeoutMs: 1,
  transactionTimeoutMs: 1,
  maxRetryTimeMs: 0,
  migrationTimeoutMs: 1,
  recheckMs: 1,
  closeGraceMs: 0,
}

const SCHEMES: readonly string[] = [
  'neo4j:',
  'neo4j+s:',
  'neo4j+ssc:',
  'bolt:',
  'bolt+s:',
  'bolt+ssc:',
]

/** @throws HeddleError `CONFIG_INVALID` with an issue for each thing that is wrong. */
export function makeNeo4jConfig(options: Neo4jOptions): Neo4jConfig {
  const numbers = readNumbers(options)
  const issues = [...uriIssues(options), ...numberIssues(numbers)]
  if (issues.length > 0) {
    throw new HeddleError('CONFIG_INVALID', { issues, details: { engine: 'neo4j' } })
  }
  const { uri, auth, database, tls } = options
  return Object.freeze({
    ...numbers,
    uri,
    startup: options.startup ?? 'required',
    schema: options.schema ?? 'check',
    logger: options.logger ?? SILENT_LOGGER,
    ...(auth === undefined ? {} : { auth: hidePassword(auth) }),
    ...(database === undefined ? {} : { database }),
    ...(tls === undefined ? {} : { tls: Object.freeze({ ...tls }) }),
  })
}

/** A password that is not enumerable stays out of JSON, spreads and log lines. */
function hidePassword(auth: NonNullable<Neo4jOptions['auth']>): NonNullable<Neo4jOptions['auth']> {
  const hidden = Object.defineProperty({ user: auth.user, password: '' }, 'password', {
    value: auth.password,
    enumerable: false,
  })
  return Object.freeze(hidden)
}

function readNumbers(options: Neo4jOptions): Record<NumberOption, number> {
  const numbers: Record<NumberOption, number> = { ...DEFAULTS }
  for (const name of Object.keys(DEFAULTS) as NumberOption[]) {
    numbers[name] = options[name] ?? DEFAULTS[name]
  }
  return numbers
}

function numberIssues(numbers: Readonly<Record<NumberOption, number>>): Issue[] {
  return (Object.keys(DEFAULTS) as NumberOption[])
    .filter((name) => !Number.isSafeInteger(numbers[name]) || numbers[name] < MINIMUM[name])
    .map((name) => ({
      path: [name],
      code: 'number_range',
      message: `Expected a whole number of at least ${MINIMUM[name]}`,
    }))
}

function uriIssues({ uri, tls }: Neo4jOptions): Issue[] {
  const issue = (code: string, message: string): Issue[] => [{ path: ['uri'], code, message }]
  if (!URL.canParse(uri)) return issue('uri_format', 'Expected a URI such as neo4j://host:7687')
  const parsed = new URL(uri)
  if (!SCHEMES.includes(parsed.protocol)) {
    return issue(
      'uri_scheme',
      `Expected one of ${SCHEMES.map((scheme) => `${scheme}//`).join(', ')}`,
    )
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return issue('uri_credentials', 'Credentials belong into user and password, not into the URI')
  }
  if (parsed.hostname === '' || !['', '/'].includes(parsed.pathname) || parsed.hash !== '') {
    return issue('uri_format', 'Expected a host and at most a port')
  }
  if (parsed.search !== '' && parsed.protocol.startsWith('bolt')) {
    return issue('uri_query', 'A routing context needs a neo4j:// URI')
  }
  if (tls !== undefined && parsed.protocol.endsWith('+ssc:')) {
    return issue(
      'uri_tls',
      '+ssc switches the check of the certificate off; drop it or the TLS option',
    )
  }
  return []
}
