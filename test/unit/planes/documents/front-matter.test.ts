import { performance } from 'node:perf_hooks'

import { describe, expect, it } from 'vitest'

import { parseFrontMatter } from '../../../../src/planes/documents/markdown/front-matter.ts'

/** Anchors of which each repeats the one before it `width` times. */
function laughs(depth: number, width: number): string {
  const lines = [`a0: &a0 ${'ha'.repeat(20)}`]
  for (let n = 1; n <= depth; n += 1) {
    const aliases = Array.from({ length: width }, () => `*a${n - 1}`)
    lines.push(`a${n}: &a${n} [${aliases.join(', ')}]`)
  }
  return lines.join('\n')
}

const nested = (levels: number) => `a: ${'['.repeat(levels)}x${']'.repeat(levels)}`

/** Line and column count in the document, whose first line is the fence. */
const refusal = (line: number, column: number, reason: string) =>
  expect.objectContaining({
    code: 'DOCUMENT_FRONT_MATTER',
    details: { line, column, reason },
    issues: [expect.objectContaining({ path: ['content'], code: reason.toLowerCase() })],
    message: expect.stringContaining(`line ${line}, column ${column}`) as string,
  }) as unknown

describe('parseFrontMatter', () => {
  it.each<[string, string, unknown]>([
    ['dates as text', 'on: 2026-12-01', { on: '2026-12-01' }],
    [
      'keys as they are written',
      '2026: a\nyes: b\n1.0: c\nnull: d',
      { '2026': 'a', yes: 'b', '1.0': 'c', null: 'd' },
    ],
    ['an alias', 'a: &x {b: [1, 2]}\nc: *x', { a: { b: [1, 2] }, c: { b: [1, 2] } }],
    ['an anchor set anew', 'a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['an alias of a key', '&k a: 1\nb: *k', { a: 1, b: 'a' }],
    [
      'a merge key as a plain one',
      'a: &x {b: 1}\nc:\n  <<: *x',
      { a: { b: 1 }, c: { '<<': { b: 1 } } },
    ],
    [
      'names of built-in properties',
      'constructor: a\ntoString: b',
      { constructor: 'a', toString: 'b' },
    ],
    ['fields without a value', 'a:\nb: []\nc: {}', { a: null, b: [], c: {} }],
    ['known tags', 'a: !!str 1\nb: !!int "2"', { a: '1', b: 2 }],
    [
      'the directive of an older YAML, without its types',
      '%YAML 1.1\n--- {a: yes, b: 2020-01-01}',
      { a: 'yes', b: '2020-01-01' },
    ],
  ])('takes %s', (_, yaml, fields) => {
    expect(parseFrontMatter(yaml)).toEqual(fields)
  })

  it.each(['', 'only text', '- a\n- .inf', '.nan'])('takes %j for no front matter', (yaml) => {
    expect(parseFrontMatter(yaml)).toBeUndefined()
  })

  it.each<[string, string, number, number, string]>([
    ['what does not parse', 'a: 1\nb: [1', 3, 6, 'BAD_INDENT'],
    ['a second document', 'a: 1\n...\nb: 2', 4, 1, 'MULTIPLE_DOCS'],
    ['infinity', 'a: 1\nb: .inf', 3, 4, 'NUMBER_NOT_FINITE'],
    ['what is not a number', 'a:\n  - .nan', 3, 5, 'NUMBER_NOT_FINITE'],
    ['a number too large for a double', 'a: -1e999', 2, 4, 'NUMBER_NOT_FINITE'],
    ['an integer that is not exact', 'a: 12345678901234567890', 2, 4, 'NUMBER_NOT_EXACT'],
    ['NUL', 'a: "x\\0"', 2, 4, 'TEXT_NUL'],
    ['a lone surrogate', 'a: "\\ud800"', 2, 4, 'TEXT_LONE_SURROGATE'],
    ['NUL in a key', '"x\\0": 1', 2, 1, 'TEXT_NUL'],
    ['an alias inside its anchor', 'a: &x [1, *x]', 2, 11, 'ALIAS_CIRCULAR'],
    ['a circle through two lists', 'a: &x\n  b: &y [*x]', 3, 10, 'ALIAS_CIRCULAR'],
    ['an alias of nothing', 'a: *x\nb: &x 1', 2, 4, 'ALIAS_UNKNOWN'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 4, 1, 'DUPLICATE_KEY'],
    ['a key twice in one that is nested', 'a:\n  - {b: 1, b: 2}', 3, 12, 'DUPLICATE_KEY'],
    ['a key twice as number and text', '1: a\n"1": b', 3, 1, 'DUPLICATE_KEY'],
    ['a list as key', 'a: 1\n? [b]\n: 1', 3, 3, 'KEY_NOT_TEXT'],
    ['an alias as key', 'a: &x b\n*x : 1', 3, 1, 'KEY_NOT_TEXT'],
    ['an empty key', 'a: 1\n: 2', 3, 1, 'KEY_NOT_TEXT'],
    ['the key of a prototype', 'a:\n  __proto__: {b: 1}', 3, 3, 'KEY_RESERVED'],
    ['a time by tag', 'a: !!timestamp 2026-12-01', 2, 4, 'TAG_RESOLVE_FAILED'],
    ['bytes by tag', 'a: !!binary aGk=', 2, 4, 'TAG_RESOLVE_FAILED'],
    ['a tag of its own', 'a: !secret x', 2, 4, 'TAG_RESOLVE_FAILED'],
  ])('refuses %s at its place', (_, yaml, line, column, reason) => {
    expect(() => parseFrontMatter(yaml)).toThrow(refusal(line, column, reason))
  })

  it('takes 32 levels and refuses 33, also by way of aliases', () => {
    expect(parseFrontMatter(nested(31))).toBeDefined()
    expect(() => parseFrontMatter(nested(32))).toThrow(refusal(2, 36, 'TOO_DEEP'))
    const chain = (levels: number) => [
      'a0: &a0 [x]',
      ...Array.from({ length: levels }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]`),
    ]
    expect(parseFrontMatter(chain(30).join('\n'))).toBeDefined()
    expect(() => parseFrontMatter(chain(31).join('\n'))).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ line: 33, reason: 'TOO_DEEP' }) as unknown,
      }) as Error,
    )
  })

  it('refuses nesting that a stack does not hold, with its place', () => {
    expect(() => parseFrontMatter(nested(100_000))).toThrow(
      expect.objectContaining({
        code: 'DOCUMENT_FRONT_MATTER',
        details: expect.objectContaining({ line: 2, reason: 'RESOURCE_EXHAUSTION' }) as unknown,
      }) as Error,
    )
  })

  it('takes 64 KiB of fields, counted as JSON in UTF-8, and not a byte more', () => {
    const text = (bytes: number) =>
      `a: x${'é'.repeat((bytes - 9) / 2)}${bytes % 2 === 0 ? 'x' : ''}`
    const list = (last: string) => `a: [${'12, '.repeat(21_842)}${last}]`
    const bytesOf = (yaml: string) => Buffer.byteLength(JSON.stringify(parseFrontMatter(yaml)))
    expect(bytesOf(text(65_536))).toBe(65_536)
    expect(() => parseFrontMatter(text(65_537))).toThrow(refusal(2, 1, 'FIELDS_TOO_LARGE'))
    expect(bytesOf(list('12'))).toBe(65_536)
    expect(() => parseFrontMatter(list('123'))).toThrow('FIELDS_TOO_LARGE')
  })

  it('refuses aliases that expand without expanding them', () => {
    const before = process.memoryUsage().heapUsed
    const startedMs = performance.now()
    expect(() => parseFrontMatter(laughs(20, 20))).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ line: 5, reason: 'FIELDS_TOO_LARGE' }) as unknown,
      }) as Error,
    )
    const wide = `a: &a ${'x'.repeat(2000)}\nb:\n${'  - *a\n'.repeat(20_000)}`
    expect(() => parseFrontMatter(wide)).toThrow('FIELDS_TOO_LARGE')
    expect(performance.now() - startedMs).toBeLessThan(3000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024)
  })
})
