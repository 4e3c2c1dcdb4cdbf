import type { Command } from 'commander'

import { findNearest } from '../../core/nearest.ts'
import { argsSchema, OPERATIONS } from '../../memory/registry.ts'
import { toKebab } from '../operation-options.ts'
import type { Session } from '../session.ts'
import { usageError } from '../usage-error.ts'

/** `heddle help [command…]`: how a command is used; for an operation with `--json`, its schema. */
export function addHelpCommand(program: Command, session: Session): void {
  const command = program
    .command('help')
    .argument('[command...]', 'a command, such as kv set or kv.set')
    .description('Show how a command is used; with --json the schema of an operation')
  command.action((words: readonly string[]) => {
    const path = words.flatMap((word) => word.split('.')).map(toKebab)
    const found = path.reduce(descend, program)
    const name = words
      .flatMap((word) => word.split('.'))
      .join('.')
      .replaceAll('-', '_')
    const operation = OPERATIONS.find((one) => one.name === name)
    const about = operation && {
      op: operation.name,
      summary: operation.summary,
      access: operation.access,
      scopes: operation.scopes,
      args_schema: argsSchema(operation),
      example: operation.example as unknown,
    }
    session
      .output(command)
      .result({ ok: true, ...(about ?? { usage: found.helpInformation() }) }, () =>
        found.helpInformation().trimEnd(),
      )
  })
}

function descend(parent: Command, word: string): Command {
  const found = parent.commands.find((one) => one.name() === word || one.aliases().includes(word))
  if (found !== undefined) return found
  const nearest = findNearest(
    word,
    parent.commands.map((one) => one.name()),
  )
  throw usageError(
    `unknown command '${word}'${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`,
  )
}
