import { z } from 'zod'

import { type ErrorCode, ERRORS } from '../core/errors.ts'
import { SCOPE_KINDS } from '../identity/scope.ts'
import { inputSchema, OPERATIONS } from '../memory/registry.ts'
import type { AnyOperation } from '../operation/definition.ts'

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

const Issue = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  code: z.string(),
  message: z.string(),
})

const WireErrorShape = z
  .object({
    code: z.enum(CODES),
    message: z.string(),
    retry: z.enum(['never', 'same-call', 'reread', 'later']),
    issues: z.array(Issue).describe('What is wrong with the input, place by place'),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'HeddleError' })

/** The body of every answer that is not a success. */
export const FailureBody = z
  .object({
    ok: z.literal(false),
    op: z.string().optional(),
    error: WireErrorShape,
    args_schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('For bad input of an operation'),
  })
  .meta({ id: 'Failure' })

const Note = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Note' })

const scopeField = z
  .enum(SCOPE_KINDS)
  .optional()
  .describe('A write without it goes to the narrowest scope, a read looks in all readable ones')

const OPERATION_NAMES = OPERATIONS.map(({ name }) => name) as [string, ...string[]]

/** `POST /v1/memory`: the memory tool as it is. */
export const MemoryBody = z.strictObject({
  op: z.enum(OPERATION_NAMES),
  scope: scopeField,
  args: z.record(z.string(), z.unknown()).optional().describe('See the route of the operation'),
})

export const MemorySuccessBody = successBody(z.string(), z.unknown())

/** The body of an operation's own route. */
export function operationBody(operation: AnyOperation): z.ZodObject {
  const args = inputSchema(operation)
  const isOptional = args.safeParse({}).success
  return z
    .strictObject({
      scope: z
        .enum(operation.scopes as [string, ...string[]])
        .optional()
        .describe(scopeField.description ?? ''),
      args: isOptional ? args.optional() : args,
    })
    .meta({ examples: [{ args: operation.example as unknown }] })
}

export function operationSuccessBody(operation: AnyOperation): z.ZodType {
  return successBody(z.literal(operation.name), operation.output)
}

function successBody(op: z.ZodType<string>, result: z.ZodType): z.ZodType {
  return z.object({
    ok: z.literal(true),
    op,
    scopes: z.array(z.enum(SCOPE_KINDS)).describe('Where the call read, or the one it wrote to'),
    result,
    notes: z.array(Note),
  })
}

export const LiveBody = z.object({ ok: z.literal(true) })

const Component = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  code: z.string().optional().describe('The error code, when it is not ok'),
})

export const ReadyBody = z.object({ ok: z.literal(true), components: z.array(Component) })

export const NotReadyBody = z.object({
  ok: z.literal(false),
  components: z.array(Component),
  error: WireErrorShape,
})

export const EndedRun = z.object({ ok: z.literal(true), run_id: z.string() })
