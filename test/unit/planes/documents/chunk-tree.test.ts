import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { quoteOf } from '../../../../src/evidence/index.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { parsePlainText } from '../../../../src/planes/documents/parse-plain-text.ts'
import { expectSound, parseUnlessRefused } from './expect-sound.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/markdown/${name}`, import.meta.url), 'utf8')

const SEED = { seed: 20_261_201 }

const block = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.lorem({ maxCount: 4 }))
    .map(([n, s]) => `${'#'.repeat(n)} ${s}`),
  fc.lorem({ mode: 'sentences', maxCount: 6 }),
  fc
    .array(fc.lorem({ maxCount: 8 }), { minLength: 1, maxLength: 8 })
    .map((items) => items.map((s) => `- ${s}`).join('\n')),
  fc
    .array(fc.lorem({ maxCount: 6 }), { minLength: 1, maxLength: 4 })
    .map((items) => items.map((s) => `> - ${s}`).join('\n')),
  fc.lorem({ mode: 'sentences', maxCount: 4 }).map((s) => `\`\`\`js\n# ${s}\n${s}\n\`\`\``),
  fc
    .array(fc.lorem({ maxCount: 3 }), { minLength: 1, maxLength: 6 })
    .map((rows) => ['| a | b |', '|---|---|', ...rows.map((s) => `| ${s} | x |`)].join('\n')),
  fc.string({ unit: 'binary', maxLength: 40 }).map((s) => s.toWellFormed().replaceAll('\0', '')),
  fc.constantFrom(
    'Setext\n===',
    '---',
    '<div>\nx\n</div>',
    '[a]: http://b',
    '    indented code',
    '[^1]: note',
    ':::note{.a b=c}',
    ':::',
    '::::other',
    '![alt](a.png)',
    '*caption*',
    'see [[x|y]] and ![[z#k]]',
    '```mermaid\nflowchart LR\n  A[one] --> B{two}\n```',
    '\t- tab',
    '   three',
  ),
)
const markdown = fc
  .tuple(
    fc.constantFrom('', '\ufeff', '\n\n', '  '),
    fc.array(block, { maxLength: 14 }),
    fc.constantFrom('\n\n', '\r\n\r\n', '\n', '\r'),
  )
  .map(([head, blocks, gap]) => head + blocks.join(gap))

describe('chunks of Markdown', () => {
  it('cover any text, stay within their size and quote what they hash', () => {
    fc.assert(
      fc.property(markdown, fc.constantFrom(16, 40, 320), (text, maxTokens) => {
        const parsed = parseUnlessRefused(text, { maxTokens })
        if (parsed !== undefined) expectSound(parsed, maxTokens)
      }),
      { ...SEED, numRuns: 300 },
    )
  })

  it('cover any plain text likewise', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (raw) => {
        const text = raw.toWellFormed()
        if (text !== '') expectSound(parsePlainText(text, { maxTokens: 16 }), 16)
      }),
      SEED,
    )
  })

  it.each(['runbook.md', 'languages.md', 'mixed.md'])('cover %s', (name) => {
    expectSound(parseMarkdownDocument(fixture(name)), 320)
    expectSound(parseMarkdownDocument(fixture(name), { maxTokens: 24 }), 24)
  })

  it('follow the headings', () => {
    const { chunks, title, type, tags } = parseMarkdownDocument(fixture('runbook.md'))
    expect({ title, type, tags }).toEqual({
      title: 'Night pump runbook',
      type: 'runbook',
      tags: ['ops', 'pumps'],
    })
    const lines = chunks.map(({ type: kind, level, headingPath }) => [
      kind,
      level ?? '',
      headingPath.join(' > '),
    ])
    expect(lines).toEqual([
      ['front_matter', '', ''],
      ['section', 1, 'Night pump'],
      ['paragraph', '', 'Night pump'],
      ['section', 2, 'Night pump > Starting it'],
      ['list', '', 'Night pump > Starting it'],
      ['code', '', 'Night pump > Starting it'],
      ['section', 2, 'Night pump > Who to call'],
      ['table', '', 'Night pump > Who to call'],
      ['quote', '', 'Night pump > Who to call'],
      ['section', 2, 'Night pump > Setext heading'],
      ['paragraph', '', 'Night pump > Setext heading'],
    ])
  })

  it('divide what is too large at its rows, items, lines and sentences', () => {
    const rows = Array.from({ length: 30 }, (_, n) => `| row ${n} | some words in it |`)
    const items = Array.from({ length: 30 }, (_, n) => `- item ${n} with some words`)
    const lines = Array.from({ length: 30 }, (_, n) => `call(${n}, "some words")`)
    const sentences = Array.from({ length: 30 }, (_, n) => `Sentence ${n} has words.`)
    const parts = [
      ['| a | b |', '|---|---|', ...rows].join('\n'),
      items.join('\n'),
      ['```js', ...lines, '```'].join('\n'),
      sentences.join(' '),
    ]
    for (const part of parts) {
      const parsed = parseMarkdownDocument(part, { maxTokens: 60 })
      expectSound(parsed, 60)
      const pieces = [...rows, ...items, ...lines, ...sentences].filter((piece) =>
        part.includes(piece),
      )
      const quotes = parsed.chunks.map(({ span }) => quoteOf(part, span))
      for (const piece of pieces)
        expect(
          quotes.some((quote) => quote.includes(piece)),
          piece,
        ).toBe(true)
    }
  })

  it('do not take a heading inside a fence for one', () => {
    const { chunks } = parseMarkdownDocument('```\n# no\n```\n\n# yes\n\ntext\n')
    expect(
      chunks.filter(({ type }) => type === 'section').map(({ headingPath }) => headingPath),
    ).toEqual([['yes']])
  })

  it('hold 200,000 characters on one line', () => {
    const parsed = parseMarkdownDocument('word and more. '.repeat(13_334))
    expectSound(parsed, 320)
  })

  it('have nothing for an empty text and one unsearched leaf for a blank one', () => {
    expect(parseMarkdownDocument('').chunks).toEqual([])
    expect(parseMarkdownDocument(' \n\n').chunks).toMatchObject([{ isRecalled: false }])
  })
})
