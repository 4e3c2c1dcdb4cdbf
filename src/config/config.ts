import type { LogLevel } from '../core/logger.ts'
import type { Grant } from '../identity/grants.ts'
import type { Limits } from '../operation/limits.ts'

/** Everything Heddle is told from outside: resolved once at start, frozen, handed down as values. */
export interface HeddleConfig {
  /** Where Postgres is: a server when a URL is given, else the embedded engine in a folder. */
  readonly database: ServerDatabaseConfig | EmbeddedDatabaseConfig
  /** Absent: the graph plane will be served by tables in Postgres. */
  readonly neo4j?: Neo4jConfig
  /** Who a local process (command line, stdio) is. */
  readonly local: LocalIdentityConfig
  readonly http: HttpConfig
  readonly mcp: McpConfig
  readonly limits: Limits
  readonly logLevel: LogLevel
}

interface DatabaseLimits {
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
}

interface ServerDatabaseConfig extends DatabaseLimits {
  readonly kind: 'server'
  readonly url: string
  /** For migrations, tenants and keys; absent on servers that only serve. */
  readonly ownerUrl?: string
}

interface EmbeddedDatabaseConfig extends DatabaseLimits {
  readonly kind: 'embedded'
  /** Absolute path of the data folder. */
  readonly dataDir: string
}

interface Neo4jConfig {
  readonly uri: string
  readonly user?: string
  readonly password?: string
  readonly database?: string
  /** PEM file of the certificate authority that signed the server's certificate; default the system's. */
  readonly caFile?: string
}

export interface LocalIdentityConfig {
  /** When given, the process is whoever the key or run token says, and the fields below are not used. */
  readonly apiKey?: string
  readonly tenant: string
  readonly agent: string
  readonly user?: string
  readonly session?: string
  readonly model?: string
  readonly grants: readonly Grant[]
  readonly isolated: boolean
}

interface HttpConfig {
  readonly host: string
  readonly port: number
  readonly bodyLimitBytes: number
  /** How long a stopping server waits for calls in flight. */
  readonly shutdownTimeoutMs: number
}

interface McpConfig {
  /** One `memory` tool, or one tool per operation. */
  readonly tools: 'single' | 'per-operation'
  /** Origins of web pages that may call over HTTP, beyond those of this machine. */
  readonly allowedOrigins: readonly string[]
}
