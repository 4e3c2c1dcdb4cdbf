import { randomUUID } from 'node:crypto'

import type { Neo4jOptions } from '../../../src/engines/neo4j/config.ts'
import type { Neo4jEngine } from '../../../src/engines/neo4j/engine.ts'
import {
  type OpenNeo4jDeps,
  openNeo4jEngine,
} from '../../../src/engines/neo4j/open-neo4j-engine.ts'
import type {
  CypherMap,
  CypherRecord,
  CypherStatement,
} from '../../../src/engines/neo4j/statement.ts'
import { neo4jConnection, requireService } from '../../support/services.ts'
import { startTcpProxy, type TcpProxy, type TcpProxyOptions } from '../../support/tcp-proxy.ts'

/** The message by which a Bolt client commits: one chunk of two bytes. */
export const BOLT_COMMIT = Buffer.from([0x00, 0x02, 0xb0, 0x12, 0x00, 0x00])

/** How the test server is reached, with the schema left alone. */
function serverOptions(): Neo4jOptions {
  const { uri, user, password } = neo4jConnection(requireService('neo4j'))
  return { uri, auth: { user, password }, schema: 'none' }
}

/** An engine on the test server; `uri` and everything else may be replaced. */
export function openTestEngine(
  options: Partial<Neo4jOptions> = {},
  deps: OpenNeo4jDeps = {},
): Promise<Neo4jEngine> {
  return openNeo4jEngine({ ...serverOptions(), ...options }, deps)
}

/** A proxy before the test server. */
export function startServerProxy(tls?: NonNullable<TcpProxyOptions['tls']>): Promise<TcpProxy> {
  const { hostname, port } = new URL(serverOptions().uri)
  return startTcpProxy({
    host: hostname,
    port: Number(port || 7687),
    ...(tls === undefined ? {} : { tls }),
  })
}

export function proxyUri(proxy: TcpProxy): string {
  return `bolt://127.0.0.1:${String(proxy.port)}`
}

export function statement(
  text: string,
  values: CypherMap = {},
  name = 'probe.run',
): CypherStatement {
  return { name, text, values }
}

export function makeTenantId(): string {
  return randomUUID()
}

/** Runs one statement in a write transaction of its own. */
export async function write(
  engine: Neo4jEngine,
  text: string,
  values: CypherMap = {},
): Promise<readonly CypherRecord[]> {
  return (await engine.withWrite({}, (tx) => tx.run(statement(text, values)))).value
}

/** Runs one statement in a read transaction of its own. */
export async function read(
  engine: Neo4jEngine,
  text: string,
  values: CypherMap = {},
): Promise<readonly CypherRecord[]> {
  return (await engine.withRead({}, (tx) => tx.run(statement(text, values)))).value
}

/** Removes what a tenant of a test has left. */
export async function removeTenant(engine: Neo4jEngine, tenantId: string): Promise<void> {
  await write(engine, 'MATCH (probe:EngineProbe {tenantId: $tenantId}) DETACH DELETE probe', {
    tenantId,
  })
}

/** Asks again until the answer is true; the test's own limit ends it. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}
