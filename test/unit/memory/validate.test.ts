import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { HeddleError } from '../../../src/core/errors.ts'
import { inputSchema, OPERATIONS } from '../../../src/memory/registry.ts'
import { parseStrict } from '../../../src/memory/validate.ts'

function issuesOf(schema: z.ZodType, value: unknown) {
  try {
    parseStrict(schema, value)
  } catch (thrown) {
    if (thrown instanceof HeddleError) return thrown.issues
    throw thrown
  }
  throw new Error('the value was accepted')
}

const schemaOf = (name: string) => {
  const operation = OPERATIONS.find((known) => known.name === name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  return inputSchema(operation)
}

describe('"did you mean"', () => {
  it.each([
    ['observe', { turns: [{ role: 'user', conten: 'x' }] }, 'content'],
    ['observe', { turn: [] }, 'turns'],
    ['recall', { query: 'x', sources: { path: 'a' } }, 'paths'],
    ['recall', { query: 'x', observed: { missin: 'exclude' } }, 'missing'],
    ['kv.batch', { entries: [{ op: 'set', key: 'a', vaule: 1 }] }, 'value'],
    ['kv.set', { key: 'a', value: 1, idempotency_kye: 'x' }, 'idempotency_key'],
  ])('of %s with %j names what stands there', (name, args, nearest) => {
    const [issue] = issuesOf(schemaOf(name), args)
    expect(issue).toMatchObject({ code: 'unknown_field' })
    expect(issue?.message).toContain(`did you mean "${nearest}"?`)
  })

  it.each([
    ['observe', { turns: [{ role: 'user', content: 'x', text: 'x' }] }],
    ['observe', { turns: [{ role: 'user', content: 'x', turnss: 1 }] }],
    ['recall', { query: 'x', rolee: 'user' }],
    ['recall', { query: 'x', observed: { missing: 'exclude', kindss: 1 } }],
    ['recall', { query: 'x', missin: 'exclude' }],
  ])('of %s with %j names nothing that stands elsewhere', (name, args) => {
    const issue = issuesOf(schemaOf(name), args).find(({ code }) => code === 'unknown_field')
    expect(issue?.message).toMatch(/^Unknown field "[a-z]+"$/)
  })

  it('looks under optional fields, defaults, records and pipes', () => {
    const inner = z.strictObject({ needle: z.string().optional() })
    const schema = z.strictObject({
      byName: z.record(z.string(), inner).optional(),
      piped: inner
        .transform((value) => value)
        .nullable()
        .default(null),
    })
    const [named, piped] = issuesOf(schema, {
      byName: { a: { neelde: 'x' } },
      piped: { needel: 'x' },
    })
    expect(named?.message).toContain('"needle"')
    expect(piped?.message).toContain('"needle"')
  })
})
