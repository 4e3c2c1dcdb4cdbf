import { describe, expect, it } from 'vitest'

import { argsSchema, inputSchema, OPERATIONS } from '../../../src/memory/registry.ts'

describe.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    it('has a name and a summary that a model can choose by', () => {
      expect(name).toMatch(/^[a-z]+(\.[a-z_]+)*$/)
      expect(operation.summary.length).toBeLessThanOrEqual(90)
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    })

    it('accepts its own example and refuses an unknown field', () => {
      const schema = inputSchema(operation)
      expect(schema.safeParse(operation.example).success).toBe(true)
      expect(schema.safeParse({ ...operation.example, tenant: 'x' }).success).toBe(false)
    })

    it('has a wire schema that common clients accept', () => {
      const text = JSON.stringify(argsSchema(operation))
      expect(text).not.toMatch(/"(oneOf|anyOf|allOf|\$ref|\$defs)"/)
      expect(argsSchema(operation)).toMatchObject({ type: 'object', additionalProperties: false })
    })

    it('has positional words among its fields and serves at least one scope', () => {
      expect(Object.keys(operation.input.shape)).toEqual(
        expect.arrayContaining([...(operation.positional ?? [])]),
      )
      expect(operation.scopes.length).toBeGreaterThan(0)
    })
  },
)

it('has no name twice', () => {
  const names = OPERATIONS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})
