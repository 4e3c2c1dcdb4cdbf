import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { findNearest } from '../../core/nearest.ts'
import { SCOPE_KINDS } from '../../identity/scope.ts'
import { type AnyOperation, defineRead } from '../../operation/definition.ts'

/** Built from the registry it describes, which is why it is handed in. */
export function makeHelpOperation(
  operations: () => readonly AnyOperation[],
  argsSchema: (operation: AnyOperation) => Record<string, unknown>,
) {
  return defineRead({
    name: 'help',
    summary: 'Show the JSON Schema of one operation and an example, or list all operations',
    audience: 'agent',
    scopes: SCOPE_KINDS,
    input: z.strictObject({
      op: z.string().optional().describe('Operation name; omit to list all'),
    }),
    output: z.object({
      operations: z.array(
        z.object({
          op: z.string(),
          summary: z.string(),
          access: z.enum(['read', 'write']),
          scopes: z.array(z.enum(SCOPE_KINDS)),
          args_schema: z.record(z.string(), z.unknown()).optional(),
          example: z.unknown().optional(),
        }),
      ),
    }),
    example: { op: 'kv.set' },
    positional: ['op'],
    handle: (call, input) => {
      const visible = operations().filter(
        ({ audience }) => audience === 'agent' || call.identity.role === 'admin',
      )
      if (input.op === undefined) return Promise.resolve({ operations: visible.map(brief) })
      const found = visible.find(({ name }) => name === input.op)
      if (found === undefined) throw unknownOperation(input.op, visible)
      const detail = { args_schema: argsSchema(found), example: exampleRequest(found) }
      return Promise.resolve({ operations: [{ ...brief(found), ...detail }] })
    },
  })
}

function brief({ name, summary, access, scopes }: AnyOperation) {
  return { op: name, summary, access, scopes: [...scopes] }
}

function exampleRequest({ name, example }: AnyOperation): unknown {
  return { op: name, args: example as unknown }
}

function unknownOperation(name: string, visible: readonly AnyOperation[]): HeddleError {
  const names = visible.map((operation) => operation.name)
  const nearest = findNearest(name, names)
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return new HeddleError('OPERATION_UNKNOWN', {
    message: `There is no such operation${hint}`,
    details: { operations: names },
  })
}
