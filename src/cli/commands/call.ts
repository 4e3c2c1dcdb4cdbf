import { type Command, CommanderError } from 'commander'

import { callAndReport } from '../operation-commands.ts'
import { parseJsonText, readText } from '../read-input.ts'
import type { Session } from '../session.ts'

/** `heddle call`: any operation, its arguments as JSON. */
export function addCallCommand(program: Command, session: Session): void {
  const command = program
    .command('call')
    .argument('<op>', 'name of the operation, such as kv.set')
    .description('Call any operation with its arguments as JSON')
    .option('--args <json>', 'the arguments; @FILE or - reads them', '{}')
    .option('--scope <kind>', 'whose memory')
  command.exitOverride((error) => {
    if (error.code !== 'commander.excessArguments') throw error
    const hint = "the arguments go into --args, as in: heddle call kv.get --args '{…}'"
    throw new CommanderError(error.exitCode, error.code, `${error.message}; ${hint}`)
  })
  command.action(async (op: string) => {
    const { args, scope } = command.opts<{ args: string; scope?: string }>()
    const parsed = await readArgs(args, session)
    await callAndReport(session, command, {
      op,
      args: parsed,
      ...(scope !== undefined && { scope }),
    })
  })
}

async function readArgs(given: string, { deps }: Session): Promise<unknown> {
  const isFile = given === '-' || given.startsWith('@')
  const text = isFile ? await readText(given === '-' ? '-' : given.slice(1), deps.stdin) : given
  return parseJsonText(text, '--args')
}
