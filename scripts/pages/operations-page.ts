import { argsSchema, OPERATIONS } from '../../src/memory/registry.ts'
import type { AnyOperation } from '../../src/operation/definition.ts'
import { generatedHeader, jsonBlock, markdownTable } from './markdown.ts'

export function operationsPage(): string {
  const overview = OPERATIONS.map(({ name, summary, access }) => [
    `[\`${name}\`](#${name.replaceAll('.', '')})`,
    access,
    summary,
  ])
  return `${generatedHeader('Operations', 'the operation registry')}
One tool, \`memory\`, with \`{"op", "scope"?, "args"}\`. Without \`scope\` a write goes to the narrowest
scope of the caller and a read looks in all scopes that the caller may read; the reply names them.
A write takes an \`idempotency_key\`: the same key and body give the same answer for 24 hours.

${markdownTable(['operation', 'access', 'summary'], overview)}

${OPERATIONS.map(section).join('\n\n')}
`
}

function section(operation: AnyOperation): string {
  const { name, summary, scopes, access, example } = operation
  const kind =
    access === 'read'
      ? 'Read'
      : `Write${operation.idempotent ? ', idempotent' : ''}${operation.destructive ? ', destructive' : ''}`
  return `## ${name}

${summary}. ${kind}. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.

${markdownTable(['argument', 'type', 'required', 'meaning'], argumentRows(argsSchema(operation)))}

${jsonBlock({ op: name, args: example as unknown })}`
}

interface PropertySchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly items?: PropertySchema
  readonly properties?: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
}

/** One row per argument, and below it one per field of an object or of the objects of a list. */
function argumentRows(schema: PropertySchema, path = ''): string[][] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const isList = property.type === 'array'
    const full = `${path}${name}`
    const row = [
      `\`${full}\``,
      typeName(property),
      required.includes(name) ? 'yes' : '',
      property.description ?? '',
    ]
    const inner = isList ? property.items : property
    const nested = inner === undefined ? [] : argumentRows(inner, `${full}${isList ? '[]' : ''}.`)
    return [row, ...nested]
  })
}

function typeName({ type, enum: values, items }: PropertySchema): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  if (type === 'array' && items !== undefined) return `array of ${typeName(items)}`
  return type ?? 'any JSON'
}
