import type { CypherStatement } from './statement.ts'

/** One row: `version`, `edition`. Compiles, plans and reads: the first statement after a server's start is slow. */
export function selectServer(): CypherStatement {
  return {
    name: 'server.select',
    text: `
      CALL dbms.components() YIELD name, versions, edition
      WHERE name = 'Neo4j Kernel'
      RETURN versions[0] AS version, edition`,
    values: {},
  }
}
