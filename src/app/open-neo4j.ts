import type { HeddleConfig } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import type { Neo4jEngine } from '../engines/neo4j/engine.ts'

/**
 * Opens Neo4j when the configuration names it. A server that cannot be reached does not stop Heddle:
 * health says so, and the engine comes up by itself. The schema is applied whenever the server is
 * found; Neo4j Community has no role that could serve without being allowed to.
 */
export async function openNeo4j(
  { neo4j }: HeddleConfig,
  logger: Logger,
): Promise<Neo4jEngine | undefined> {
  if (neo4j === undefined) return undefined
  const { uri, user, password, database, caFile } = neo4j
  // Loaded when it is used: the driver takes long to load.
  const { openNeo4jEngine } = await import('../engines/neo4j/open-neo4j-engine.ts')
  return openNeo4jEngine({
    uri,
    startup: 'optional',
    schema: 'migrate',
    logger,
    ...(user !== undefined && { auth: { user, password: password ?? '' } }),
    ...(database !== undefined && { database }),
    ...(caFile !== undefined && { tls: { caFile } }),
  })
}
