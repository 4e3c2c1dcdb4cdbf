import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { jsonObjectSchema, jsonValueSchema } from '../../../../src/planes/kv/json-value.ts'

const Schema = z.strictObject({ value: jsonValueSchema })

describe('jsonValueSchema', () => {
  it.each([
    '{"__proto__":{"a":1},"constructor":null,"toString":[1],"hasOwnProperty":"x"}',
    '{"z":1,"a":{"y":[],"b":{}},"":0}',
    '[null,true,1.5e-7,"\\u00e9"]',
    'null',
  ])('hands %s through without losing or moving a field (case 80)', (text) => {
    const parsed = Schema.parse({ value: JSON.parse(text) as unknown })
    expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)))
  })

  it.each([
    ['nothing', undefined],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a function', () => 1],
    ['a big integer', 1n],
    ['not a number', Number.NaN],
    ['a field without value', { a: undefined }],
    ['a list with holes', new Array(2)],
    ['an instance', new URL('a:b')],
  ])('refuses %s', (_, value) => {
    expect(Schema.safeParse({ value }).success).toBe(false)
  })

  it('refuses a missing value and a circle', () => {
    expect(Schema.safeParse({}).success).toBe(false)
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(Schema.safeParse({ value: circle }).success).toBe(false)
  })
})

describe('jsonObjectSchema', () => {
  it('takes objects only and says so in the schema', () => {
    expect(jsonObjectSchema.safeParse({ a: [1] }).success).toBe(true)
    for (const value of [null, [], 'x', 1, undefined]) {
      expect(jsonObjectSchema.safeParse(value).success).toBe(false)
    }
    expect(z.toJSONSchema(jsonObjectSchema)).toMatchObject({ type: 'object' })
  })
})
