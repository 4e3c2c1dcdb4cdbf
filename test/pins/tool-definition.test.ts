import { readFileSync } from 'node:fs'

import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'

import { makeMemoryTool, makeOperationTools } from '../../src/mcp/tools.ts'

const LIMIT = 2000

/**
 * What models are shown is read by them in every conversation, so a change of one word is a change of
 * behaviour and of cost. Both values are literals: when one differs, look at the difference and, if it is
 * meant, write it down here.
 */
describe('the definition of the memory tool', () => {
  const listed = JSON.stringify({ tools: [makeMemoryTool()] })

  it('is the pinned text', () => {
    const pinned: unknown = JSON.parse(
      readFileSync(new URL('tool-definition.json', import.meta.url), 'utf8'),
    )
    expect(JSON.parse(listed)).toEqual(pinned)
  })

  it('costs the pinned number of tokens, below the promised limit', () => {
    const tokens = encode(listed).length
    expect(tokens).toBe(930)
    expect(tokens).toBeLessThan(LIMIT)
  })

  it('has a flat schema that every client takes', () => {
    const flat = /"(oneOf|anyOf|allOf|\$ref|\$defs)":/
    expect(listed).not.toMatch(flat)
    for (const tool of makeOperationTools()) expect(JSON.stringify(tool)).not.toMatch(flat)
  })

  it('gives every operation a tool name that clients accept', () => {
    const names = makeOperationTools().map(({ name }) => name)
    expect(names.every((name) => /^[a-z][a-z0-9_]{0,63}$/.test(name))).toBe(true)
    expect(new Set(names).size).toBe(names.length)
  })
})
