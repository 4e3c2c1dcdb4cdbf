import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import { invalidInput } from '../../../core/invalid-input.ts'
import type { Row } from '../../../engines/postgres/engine.ts'
import { withoutNulls } from '../../../evidence/index.ts'
import { getScopeKind, type ScopeSet } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { globToSqlRegExp } from '../path-glob.ts'
import { countFound, findSources, type SourceFilter } from '../sql/find-sources.ts'
import { DOCUMENT_SCOPES, pathFilterSchema, scopeSchema } from '../wire.ts'

const name = z.string().trim().min(1).max(128)

/** Not a record: that would leave a field named `__proto__` out, and with it a filter. */
const fieldsSchema = z
  .unknown()
  .transform((given, context): Readonly<Record<string, unknown>> => {
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
      return given as Readonly<Record<string, unknown>>
    }
    context.issues.push({ code: 'custom', message: 'Expected an object', input: given })
    return z.NEVER
  })
  .meta({
    type: 'object',
    description:
      'Front matter: each field is the text, number, true, false or null given, or a list with it',
  })

const Input = z.strictObject({
  path: pathFilterSchema.optional(),
  glob: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Pattern of the path: * and ? within a segment, ** across segments'),
  type: name.optional(),
  status: name.optional().describe('Front matter field status'),
  tags: z.array(name).min(1).max(100).optional().describe('Only what has all of them'),
  fields: fieldsSchema.optional(),
  kind: z
    .enum(['document', 'conversation', 'text'])
    .optional()
    .describe('Of source; default document'),
  ...pageFields,
})
type Input = z.output<typeof Input>

const Found = z.strictObject({
  source_id: z.uuid(),
  path: z.string().optional(),
  conversation: z.string().optional(),
  scope: scopeSchema,
  title: z.string().optional(),
  type: z.string().optional(),
  status: z.string().optional(),
  tags: z.array(z.string()),
  revision: z.int(),
  observed_at: z.string().optional(),
  inserted_at: z.string(),
  updated_at: z.string(),
})

const Position = z.strictObject({ address: z.string(), sourceId: z.uuid() })

export const findOperation = defineRead({
  name: 'doc.find',
  summary: 'Find documents by path, type, status, tags and front matter, page by page',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: Input,
  output: z.strictObject({
    documents: z.array(Found).describe('By path'),
    total: z.int(),
    next_cursor: z.string().optional(),
  }),
  example: { path: 'guides/', tags: ['setup'], fields: { owner: 'ines' } },
  positional: ['path'],
  handle: (call, input) => {
    const limit = resolvePageSize(input.limit, call.limits.pageSize)
    const filter = toFilter(input)
    const place = { operation: 'doc.find', filter: { ...filter, scopes: call.read.scopeIds } }
    const after = readCursor(input.cursor, place, Position)
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(findSources(call.read, filter, after, limit + 1))
      const [count] = await tx.query(countFound(call.read, filter))
      const { page, next } = cutPage(rows, limit, place, positionOf)
      return {
        documents: page.map((row) => toLine(row, call.read)),
        total: count?.['total'] as number,
        ...next,
      }
    })
  },
})

function toFilter({
  kind = 'document',
  path,
  glob,
  type,
  status,
  tags,
  fields,
}: Input): SourceFilter {
  assertFields(fields, status)
  if (kind !== 'document') assertNoPath({ path, glob })
  const wanted = { ...fields, ...(status !== undefined && { status }) }
  return {
    kind,
    path,
    type,
    tags,
    ...(glob !== undefined && { pathPattern: globToSqlRegExp(glob.normalize('NFC')) }),
    ...(Object.keys(wanted).length > 0 && { fields: wanted }),
  }
}

/** @throws HeddleError `INPUT_INVALID` for what no field can equal, and for a filter that does not narrow. */
function assertFields(fields: Input['fields'], status: string | undefined): void {
  if (fields === undefined) return
  if (Object.keys(fields).length === 0)
    throw invalidInput(['fields'], 'empty', 'Expected at least one field')
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || (typeof value === 'object' && value !== null)) {
      throw invalidInput(
        ['fields', field],
        'field_value',
        'Expected text, a number, true, false or null',
      )
    }
  }
  if (status !== undefined && Object.hasOwn(fields, 'status')) {
    throw invalidInput(['status'], 'one_of', 'Expected status once')
  }
}

/** Only documents have paths: with the filter nothing would be found, as if there were nothing. */
function assertNoPath(given: Pick<Input, 'path' | 'glob'>): void {
  const [field] = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  )
  if (field !== undefined)
    throw invalidInput([field], 'not_applicable', 'Only documents have a path')
}

function positionOf(row: Row) {
  return { address: row['address'] as string, sourceId: row['source_id'] as string }
}

function toLine(row: Row, read: ScopeSet) {
  const optional = {
    path: row['path'] as string | null,
    conversation: row['name'] as string | null,
    title: row['title'] as string | null,
    type: row['type'] as string | null,
    status: row['status'] as string | null,
    observed_at: row['observed_at'] as string | null,
  }
  return {
    source_id: row['source_id'] as string,
    scope: getScopeKind(read, row['scope_id'] as string),
    tags: row['tags'] as string[],
    revision: row['revision'] as number,
    inserted_at: row['inserted_at'] as string,
    updated_at: row['updated_at'] as string,
    ...withoutNulls(optional),
  }
}
