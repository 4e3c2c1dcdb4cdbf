/** A whole Heddle behind its HTTP server, over an engine of the test run. */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'

import { openHeddle } from '../../../src/app/open-heddle.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { newRandomId } from '../../../src/core/ids.ts'
import { type Logger, SILENT_LOGGER } from '../../../src/core/logger.ts'
import { HeddleClient } from '../../../src/http/client.ts'
import { openHttpServer, type RunningServer } from '../../../src/http/server.ts'
import type { Grant } from '../../../src/identity/grants.ts'
import type { Role } from '../../../src/identity/identity.ts'
import { createKey } from '../../../src/identity/keys.ts'
import { createTenant } from '../../../src/identity/tenants.ts'
import { createMcpHttpHandler } from '../../../src/mcp/http-handler.ts'
import type { Heddle } from '../../../src/memory/heddle.ts'
import { makeDataFolder, TEST_ENGINES, type TestEngineName } from '../../support/engines.ts'
import { NEVER } from '../../support/heddle.ts'

export interface AppOptions {
  /** Default: embedded. */
  readonly engine?: TestEngineName
  /** More settings, by the names of their variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Rewrites the URLs of a server's database, to put a proxy in between. */
  readonly throughProxy?: (url: string) => string
  readonly logger?: Logger
}

interface KeyParts {
  readonly role?: Role
  readonly agent?: string
  readonly user?: string
  readonly grants?: readonly Grant[]
  readonly isolated?: boolean
}

export interface App extends AsyncDisposable {
  readonly heddle: Heddle
  readonly server: RunningServer
  readonly url: string
  /** Settings with which another process finds the same data. */
  readonly env: Readonly<Record<string, string>>
  /** Superuser's URL of the database, when it is on a server. */
  readonly adminUrl?: string
  tenant(): Promise<string>
  key(tenant: string, parts?: KeyParts): Promise<string>
  client(token: string): HeddleClient
  /** A request as it is; `body` may be text that is no JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export async function openApp(options: AppOptions = {}): Promise<App> {
  const {
    engine = 'embedded',
    logger = SILENT_LOGGER,
    throughProxy = (url: string) => url,
  } = options
  const place = await openPlace(engine, throughProxy)
  const env = { ...place.env, HEDDLE_PORT: '0', HEDDLE_LOG_LEVEL: 'error', ...options.env }
  const config = loadConfig(env)
  const heddle = await openHeddle(config, { logger, maintenance: false })
  const server = await openHttpServer(heddle, {
    mcp: createMcpHttpHandler({ tools: config.mcp.tools }),
  })
  return {
    heddle,
    server,
    env,
    url: server.url,
    ...(place.adminUrl !== undefined && { adminUrl: place.adminUrl }),
    tenant: async () => {
      const name = `t-${randomUUID()}`
      await createTenant(heddle.postgres, newRandomId, name, NEVER)
      return name
    },
    key: async (tenant, { role = 'agent', agent, user, grants = [], isolated = false } = {}) => {
      const holder = role === 'service' ? agent : (agent ?? 'a1')
      const request = {
        tenant,
        role,
        grants: [...grants],
        isolated,
        ...(holder !== undefined && { agent: holder }),
        ...(user !== undefined && { user }),
      }
      return (await createKey(heddle.postgres, newRandomId, request, NEVER)).token
    },
    client: (token) => new HeddleClient({ baseUrl: server.url, token }),
    post: (path, body, headers = {}) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await heddle.close()
      await place.remove()
    },
  }
}

interface Place {
  readonly env: Readonly<Record<string, string>>
  readonly adminUrl?: string
  remove(): Promise<void>
}

async function openPlace(
  name: TestEngineName,
  throughProxy: (url: string) => string,
): Promise<Place> {
  if (name === 'embedded') {
    const dataDir = await makeDataFolder()
    return {
      env: { HEDDLE_DATA_DIR: dataDir },
      remove: () => rm(dataDir, { recursive: true, force: true }),
    }
  }
  const opener = TEST_ENGINES.find((one) => one.name === name)
  const opened = await opener?.open()
  if (opened?.database === undefined) throw new Error(`${name} has no database`)
  const { database } = opened
  return {
    env: {
      DATABASE_URL: throughProxy(database.appUrl),
      DATABASE_OWNER_URL: throughProxy(database.ownerUrl),
    },
    adminUrl: database.adminUrl,
    remove: async () => {
      await opened[Symbol.asyncDispose]()
    },
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}
