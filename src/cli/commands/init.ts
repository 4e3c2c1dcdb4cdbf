import type { Command } from 'commander'

import type { HeddleConfig } from '../../config/config.ts'
import { renderPairs } from '../render/table.ts'
import type { Session } from '../session.ts'

/** `heddle init`: makes the database ready and says how an MCP client connects. */
export function addInitCommand(program: Command, session: Session): void {
  const command = program
    .command('init')
    .description('Prepare data folder, schema and tenant, and show how to connect an MCP client')
  command.action(async () => {
    const config = session.config(command)
    const output = session.output(command)
    await session.withHeddle(
      command,
      (heddle) => heddle.openLocalIdentity({ signal: session.deps.signal, withRun: false }),
      { migrate: true },
    )
    const client = clientConfig(config)
    output.result({ ok: true, ...facts(config), mcp_client: client }, () =>
      [
        renderPairs(Object.entries(facts(config))),
        '',
        output.colours.bold('Add this to the configuration of your MCP client:'),
        JSON.stringify(client, undefined, 2),
        '',
        `Next: ${output.colours.cyan('heddle import docs/')} or ${output.colours.cyan('heddle kv set greeting hello')}`,
      ].join('\n'),
    )
  })
}

function facts({ database, local }: HeddleConfig) {
  return {
    ...(database.kind === 'embedded'
      ? { engine: 'embedded', data_dir: database.dataDir }
      : { engine: 'server' }),
    tenant: local.tenant,
    agent: local.agent,
    ...(local.user !== undefined && { user: local.user }),
  }
}

/** Names of settings only: a URL with a password has no place in another program's file. */
function clientConfig({ database, local }: HeddleConfig) {
  const env = {
    ...(database.kind === 'embedded'
      ? { HEDDLE_DATA_DIR: database.dataDir }
      : { DATABASE_URL: 'postgres://…' }),
    HEDDLE_TENANT: local.tenant,
    HEDDLE_AGENT: local.agent,
    ...(local.user !== undefined && { HEDDLE_USER: local.user }),
  }
  return { mcpServers: { heddle: { command: 'heddle', args: ['mcp'], env } } }
}
