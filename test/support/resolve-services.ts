/**
 * Finds or starts the services. Each is looked for on its own: a URL in the environment, else
 * Docker, else the native programs of `scripts/services`.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { Neo4jContainer } from '@testcontainers/neo4j'
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import neo4j from 'neo4j-driver'
import pg from 'pg'

import {
  missingLine,
  neo4jConnection,
  SERVICE_NAMES,
  type ServiceName,
  type TestServices,
} from './services.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

interface ServiceSource {
  readonly startContainer: () => Promise<StartedService>
  /** Throws unless the service can be used for tests. */
  readonly probe: (url: string) => Promise<void>
}

interface StartedService {
  readonly url: string
  readonly stop: () => Promise<void>
}

const SOURCES: Readonly<Record<ServiceName, ServiceSource>> = {
  postgres18: {
    startContainer: () => startPostgresContainer('pgvector/pgvector:pg18'),
    probe: probePostgres,
  },
  postgres15: {
    startContainer: () => startPostgresContainer('pgvector/pgvector:pg15'),
    probe: probePostgres,
  },
  neo4j: { startContainer: startNeo4jContainer, probe: probeNeo4j },
}

const NAMES = Object.keys(SOURCES) as ServiceName[]

export interface ResolvedServices {
  readonly services: TestServices
  /** One line for each service that cannot be had. */
  readonly missing: readonly string[]
  /** Stops the containers that this resolution started; native services go on running. */
  readonly stop: () => Promise<void>
}

/** Finds or starts every service, all of them side by side. Never throws for a missing one. */
export async function resolveServices(env: NodeJS.ProcessEnv): Promise<ResolvedServices> {
  const unset = NAMES.filter((name) => !env[SERVICE_NAMES[name].variable])
  const hasDocker = unset.length > 0 && (await isDockerAnswering())
  const native = unset.length > 0 && !hasDocker ? await startNativeServices(unset) : undefined

  const found: Partial<Record<ServiceName, string>> = {}
  const missing: string[] = []
  const stops: (() => Promise<void>)[] = []
  await Promise.all(
    NAMES.map(async (name) => {
      const { variable, native: nativeName } = SERVICE_NAMES[name]
      const source = SOURCES[name]
      try {
        let url = env[variable] || native?.urls.get(variable)
        if (!url && hasDocker) {
          const started = await source.startContainer()
          stops.push(started.stop)
          url = started.url
        }
        if (!url) throw new Error(native?.reasons.get(nativeName) ?? 'not found')
        await source.probe(url)
        found[name] = url
      } catch (error) {
        missing.push(`${missingLine(name)} (${firstLine(error)})`)
      }
    }),
  )
  return {
    services: found,
    missing,
    stop: async () => {
      await Promise.allSettled(stops.map((stop) => stop()))
    },
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.trim().split('\n', 1)[0] ?? ''
}

async function isDockerAnswering(): Promise<boolean> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 10_000 })
    return true
  } catch {
    return false
  }
}

interface NativeServices {
  readonly urls: ReadonlyMap<string, string>
  /** The last word of each service that did not start, by its native name. */
  readonly reasons: ReadonlyMap<string, string>
}

async function startNativeServices(names: readonly ServiceName[]): Promise<NativeServices> {
  const wanted = names.map((name) => SERVICE_NAMES[name].native)
  const { stdout, stderr } = await run('scripts/services', ['start', ...wanted], {
    cwd: root,
    timeout: 10 * 60_000,
  }).catch((error: unknown) => toOutput(error))
  const urls = new Map<string, string>()
  for (const line of stdout.split('\n')) {
    const at = line.indexOf('=')
    if (at > 0) urls.set(line.slice(0, at), line.slice(at + 1))
  }
  const reasons = new Map<string, string>()
  for (const line of stderr.split('\n')) {
    const said = /^services: (?:(\w+): )?(.+)$/.exec(line)
    for (const name of said?.[1] ? [said[1]] : wanted) if (said?.[2]) reasons.set(name, said[2])
  }
  return { urls, reasons }
}

/** A failed start still says which services did start: the script prints those and exits with 1. */
function toOutput(error: unknown): { stdout: string; stderr: string } {
  const { stdout, stderr } = error as { stdout?: string; stderr?: string }
  return { stdout: stdout ?? '', stderr: stderr || `services: ${firstLine(error)}` }
}

async function startPostgresContainer(image: string): Promise<StartedService> {
  const container = await new PostgreSqlContainer(image)
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'])
    .start()
  return {
    url: container.getConnectionUri(),
    stop: async () => {
      await container.stop()
    },
  }
}

async function startNeo4jContainer(): Promise<StartedService> {
  const container = await new Neo4jContainer('neo4j:5-community').start()
  const url = new URL(container.getBoltUri())
  const userInfo = `${container.getUsername()}:${encodeURIComponent(container.getPassword())}`
  return {
    url: `${url.protocol}//${userInfo}@${url.host}`,
    stop: async () => {
      await container.stop()
    },
  }
}

async function probePostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ is_superuser: string }>(
      `select current_setting('is_superuser') as is_superuser`,
    )
    // Tests create roles and the vector extension, which is not a trusted one.
    if (rows[0]?.is_superuser !== 'on') throw new Error('its user is not a superuser')
  } finally {
    await client.end()
  }
}

/** Also warms the server up: its first statement may take seconds, and would be some test's. */
async function probeNeo4j(url: string): Promise<void> {
  const { uri, user, password } = neo4jConnection(url)
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the driver types its options as a class and takes plain objects
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { connectionTimeout: 10_000 })
  try {
    await driver.executeQuery('RETURN 1')
  } finally {
    await driver.close()
  }
}
