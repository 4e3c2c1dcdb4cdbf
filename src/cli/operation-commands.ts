import type { Command } from 'commander'
import { Option } from 'commander'

import { SCOPE_KINDS } from '../identity/scope.ts'
import { OPERATIONS } from '../memory/registry.ts'
import type { AnyOperation } from '../operation/definition.ts'
import { addOperationArguments, toKebab } from './operation-options.ts'
import { renderReply } from './render/render-reply.ts'
import type { Session } from './session.ts'

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
  command.action(async () => {
    const options: Record<string, unknown> = command.opts()
    const args = readArgs(command.processedArgs as unknown[], options)
    const scope = options['scope']
    await callAndReport(session, command, {
      op: operation.name,
      args,
      ...(scope !== undefined && { scope }),
    })
  })
}

export function scopeOption(operation: AnyOperation): Option {
  const served = SCOPE_KINDS.filter((kind) => operation.scopes.includes(kind))
  return new Option('--scope <kind>', `whose memory: ${served.join(', ')}`)
}

/** Calls the memory tool as the operator's own identity and prints the reply. */
export async function callAndReport(
  session: Session,
  command: Command,
  request: unknown,
): Promise<void> {
  const output = session.output(command)
  const reply = await session.withCaller(command, (heddle, identity) =>
    heddle.call(identity, request, { signal: session.deps.signal }),
  )
  session.report(output, reply, (success) => renderReply(success, output))
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
