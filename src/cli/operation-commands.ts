import { type Command, CommanderError, Option } from 'commander'

import { SCOPE_KINDS } from '../identity/scope.ts'
import { OPERATIONS } from '../memory/registry.ts'
import type { AnyOperation } from '../operation/definition.ts'
import { addOperationArguments, toKebab } from './operation-options.ts'
import { renderRaw, renderReply } from './render/render-reply.ts'
import type { Session } from './session.ts'
import { usageError } from './usage-error.ts'

/** Operations that have a command of their own making under the same words. */
const HAND_MADE: ReadonlySet<string> = new Set(['help', 'observe'])

/** Adds one command per operation of the registry: `kv.set` becomes `kv set`. */
export function addOperationCommands(program: Command, session: Session): void {
  for (const operation of OPERATIONS) {
    if (!HAND_MADE.has(operation.name)) addOperationCommand(program, session, operation)
  }
}

function addOperationCommand(program: Command, session: Session, operation: AnyOperation): void {
  const words = operation.name.split('.')
  const last = words.pop() ?? ''
  const parent = words.reduce(findOrAddGroup, program)
  const command = parent.command(toKebab(last)).description(operation.summary)
  if (toKebab(last) !== last) command.alias(last)
  command.addOption(scopeOption(operation))
  const readArgs = addOperationArguments(command, operation)
  const rawField = RAW_FIELDS[operation.name]
  if (rawField !== undefined) command.option('--raw', `print only the ${rawField}`)
  const hint = MISSING_HINTS[operation.name]
  if (hint !== undefined) explainMissing(command, hint)
  command.action(async () => {
    const options: Record<string, unknown> = command.opts()
    const args = readArgs(command.processedArgs as unknown[], options)
    const scope = options['scope']
    const request = { op: operation.name, args, ...(scope !== undefined && { scope }) }
    if (options['raw'] !== true || rawField === undefined) {
      await callAndReport(session, command, request)
      return
    }
    if (session.globals(command).json === true) throw usageError('Give --raw or --json, not both')
    await callAndReport(session, command, request, rawField)
  })
}

/** The field that `--raw` prints alone, where one is what people came for. */
const RAW_FIELDS: Readonly<Record<string, string>> = {
  'kv.get': 'value',
  'doc.get': 'content',
  'doc.export': 'content',
  'doc.diff': 'diff',
}

/** What to do instead, where an argument is mostly missing because another command was meant. */
const MISSING_HINTS: Readonly<Record<string, string>> = {
  'doc.import': 'to import a file, use: heddle import FILE',
}

function explainMissing(command: Command, hint: string): void {
  command.exitOverride((error) => {
    if (error.code !== 'commander.missingArgument') throw error
    throw new CommanderError(error.exitCode, error.code, `${error.message}; ${hint}`)
  })
}

export function scopeOption(operation: AnyOperation): Option {
  const served = SCOPE_KINDS.filter((kind) => operation.scopes.includes(kind))
  return new Option('--scope <kind>', `whose memory: ${served.join(', ')}`)
}

/** Calls the memory tool as the operator's own identity and prints the reply, or only that field of its result. */
export async function callAndReport(
  session: Session,
  command: Command,
  request: unknown,
  rawField?: string,
): Promise<void> {
  const output = session.output(command)
  const reply = await session.withCaller(command, (heddle, identity) =>
    heddle.call(identity, request, { signal: session.deps.signal }),
  )
  session.report(output, reply, (success) =>
    rawField === undefined ? renderReply(success, output) : renderRaw(success, rawField, output),
  )
}

function findOrAddGroup(parent: Command, word: string): Command {
  const name = toKebab(word)
  const found = parent.commands.find((command) => command.name() === name)
  return found ?? parent.command(name).description(GROUPS[word] ?? `Operations of ${word}`)
}

const GROUPS: Readonly<Record<string, string>> = {
  kv: 'Key/value entries',
  doc: 'Markdown documents',
}
