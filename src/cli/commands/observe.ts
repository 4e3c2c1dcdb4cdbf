import type { Command } from 'commander'

import { HeddleError } from '../../core/errors.ts'
import { OPERATIONS } from '../../memory/registry.ts'
import { callAndReport, scopeOption } from '../operation-commands.ts'
import { addOperationArguments } from '../operation-options.ts'
import { readText } from '../read-input.ts'
import type { Session } from '../session.ts'
import { usageError } from '../usage-error.ts'

/** `heddle observe`: a text, or the turns of a conversation from a file. */
export function addObserveCommand(program: Command, session: Session): void {
  const operation = OPERATIONS.find(({ name }) => name === 'observe')
  if (operation === undefined) throw new HeddleError('INTERNAL')
  const command = program
    .command('observe')
    .description(operation.summary)
    .option(
      '--file <path>',
      'read it from a file, or - for standard input: JSON turns, JSON lines, or plain text',
    )
    .addOption(scopeOption(operation))
  const readArgs = addOperationArguments(command, operation)
  command.action(async () => {
    const options = command.opts<Record<string, unknown> & { file?: string; scope?: string }>()
    const given = readArgs(command.processedArgs as unknown[], options)
    const { scope } = options
    // Like everywhere else, - is standard input.
    const isStdin = given['text'] === '-' && options.file === undefined
    if (isStdin) delete given['text']
    const file = isStdin ? '-' : options.file
    if (file !== undefined && given['text'] !== undefined)
      throw usageError('Give the text or --file, not both')
    if (file === undefined && Object.keys(given).length === 0)
      throw usageError('Give a text, or --file')
    const args =
      file === undefined ? given : { ...toArgs(await readText(file, session.deps.stdin)), ...given }
    await callAndReport(session, command, {
      op: 'observe',
      args,
      ...(scope !== undefined && { scope }),
    })
  })
}

/** A list of turns, an object of arguments, one turn per line, or else a text as it is. */
function toArgs(content: string): Record<string, unknown> {
  const whole = tryJson(content)
  if (Array.isArray(whole)) return { turns: whole }
  if (isObject(whole)) return 'role' in whole ? { turns: [whole] } : whole
  const lines = content.split('\n').filter((line) => line.trim() !== '')
  const turns = lines.map(tryJson)
  return turns.length > 0 && turns.every(isObject) ? { turns } : { text: content }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
