import { type Command, Option } from 'commander'

import type { Session } from '../session.ts'

/** `heddle mcp`: MCP over standard input and output, which from here on carry the protocol and nothing else. */
export function addMcpCommand(program: Command, session: Session): void {
  const command = program
    .command('mcp')
    .description('Serve MCP over standard input and output, for desktop agents')
    .addOption(
      new Option('--tools <mode>', 'one memory tool, or one tool per operation').choices([
        'single',
        'per-operation',
      ]),
    )
  command.action(async () => {
    const { tools } = command.opts<{ tools?: string }>()
    const { deps } = session
    const config = session.config(command, {
      isServing: true,
      overrides: { HEDDLE_MCP_TOOLS: tools },
    })
    const heddle = await deps.openHeddle(config, {})
    try {
      await deps.serveStdio(heddle, { signal: deps.signal })
    } finally {
      await heddle.close()
    }
  })
}
