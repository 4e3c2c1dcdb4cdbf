import type { Tool } from '@modelcontextprotocol/sdk/types.js'

import { SCOPE_KINDS } from '../identity/scope.ts'
import { argsSchema, OPERATIONS } from '../memory/registry.ts'
import type { AnyOperation } from '../operation/definition.ts'

/** What models are shown: operations for consolidators and administrators are not among them. */
const SHOWN: readonly AnyOperation[] = OPERATIONS.filter(({ audience }) => audience === 'agent')

export const MEMORY_TOOL_NAME = 'memory'

const SCOPE_DESCRIPTION =
  'Whose memory. Omitted: a write goes to the narrowest scope, a read looks in all readable ones'

/**
 * The one tool. Its schema is flat on purpose: several clients refuse `oneOf`, `anyOf` and `$ref`; what
 * an operation takes is told by `help`, or by the error of a call that got it wrong.
 */
export function makeMemoryTool(): Tool {
  return {
    name: MEMORY_TOOL_NAME,
    title: 'Memory',
    description:
      'Long-term memory: store, find and read back what matters beyond this conversation. ' +
      'Call help with the name of an op for its args and an example.',
    inputSchema: {
      type: 'object',
      properties: {
        op: {
          type: 'string',
          enum: SHOWN.map(({ name }) => name),
          description: SHOWN.map(({ name, summary }) => `${name}: ${summary}`).join('\n'),
        },
        scope: { type: 'string', enum: [...SCOPE_KINDS], description: SCOPE_DESCRIPTION },
        args: { type: 'object', description: 'Arguments of the op' },
      },
      required: ['op'],
      additionalProperties: false,
    },
    annotations: {
      title: 'Memory',
      readOnlyHint: false,
      destructiveHint: SHOWN.some(
        (operation) => operation.access === 'write' && operation.destructive,
      ),
      idempotentHint: false,
      openWorldHint: false,
    },
  }
}

/** One tool per operation, dots become `_`. */
export function makeOperationTools(): readonly Tool[] {
  return SHOWN.map(toTool)
}

function toTool(operation: AnyOperation): Tool {
  const {
    properties = {},
    required,
    ...rest
  } = argsSchema(operation) as {
    properties?: Record<string, object>
    required?: string[]
  }
  const scope = { type: 'string', enum: [...operation.scopes], description: SCOPE_DESCRIPTION }
  return {
    name: toToolName(operation.name),
    description: operation.summary,
    inputSchema: {
      ...rest,
      type: 'object',
      properties: { ...properties, scope },
      ...(required !== undefined && required.length > 0 && { required }),
    },
    annotations: {
      readOnlyHint: operation.access === 'read',
      destructiveHint: operation.access === 'write' && operation.destructive,
      idempotentHint: operation.access === 'read' || operation.idempotent,
      openWorldHint: false,
    },
  }
}

function toToolName(operation: string): string {
  return operation.replaceAll('.', '_')
}

const BY_TOOL_NAME: ReadonlyMap<string, string> = new Map(
  SHOWN.map(({ name }) => [toToolName(name), name]),
)

/** The operation that a tool of the per-operation mode stands for. */
export function findOperationOfTool(tool: string): string | undefined {
  return BY_TOOL_NAME.get(tool)
}

export function toolNames(mode: 'single' | 'per-operation'): readonly string[] {
  return mode === 'single' ? [MEMORY_TOOL_NAME] : [...BY_TOOL_NAME.keys()]
}
