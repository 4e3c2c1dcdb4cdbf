import { describe, expect, it } from 'vitest'

import { newRandomId } from '../../../../src/core/ids.ts'
import {
  assertWithin,
  MAX_CHUNKS,
  MAX_DEPTH,
  MAX_LINKS,
} from '../../../../src/planes/documents/markdown/limits.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { planRevision } from '../../../../src/planes/documents/plan-revision.ts'
import { expectSound } from './expect-sound.ts'

const { signal } = new AbortController()

async function parseDocument(text: string, signal: AbortSignal) {
  const context = { newId: newRandomId, tenant: 't', given: {} }
  return (await planRevision(text, undefined, context, {}, signal)).parsed
}

describe('texts made to hurt', () => {
  it('are refused with the limit that they pass', async () => {
    const cases = [
      ['depth', `${'> '.repeat(MAX_DEPTH + 1)}x`],
      ['depth', ':::note\n'.repeat(50_000)],
      ['depth', `~~~\n${':::note\n'.repeat(500)}~~~\n${'::::note\n'.repeat(MAX_DEPTH + 1)}`],
      ['chunks', '# a\n'.repeat(MAX_CHUNKS / 2 + 1)],
    ] as const
    for (const [limit, text] of cases) {
      await expect(parseDocument(text, signal), limit).rejects.toMatchObject({
        code: 'DOCUMENT_TOO_COMPLEX',
        details: { limit },
      })
    }
  })

  it('may have so many links and no more', () => {
    expect(() => assertWithin('links', MAX_LINKS)).not.toThrow()
    expect(() => assertWithin('links', MAX_LINKS + 1)).toThrow(/more than 50000 links/)
  })

  it.each([
    ['a letter with 20,000 marks', `a${'\u0301'.repeat(20_000)} and words`],
    ['one word of 20,000 letters', 'x'.repeat(20_000)],
    ['a family of families', '👨‍👩‍👧‍👦\u200d'.repeat(2000)],
    ['a table row of 20,000 characters', `| a |\n|---|\n| ${'word '.repeat(4000)} |\n`],
    ['a heading of 20,000 characters', `# ${'word '.repeat(4000)}\n\ntext\n`],
    ['brackets without end', `${'[['.repeat(3000)}${'![['.repeat(3000)}`],
    ['fences of directives without end', ':::note\n'.repeat(150)],
    ['directives shown as code', `\`\`\`\n${':::note\n'.repeat(500)}\`\`\`\n`],
    ['a table of 5,000 rows', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(5000)}`],
    ['carriage returns alone', 'line of words\r'.repeat(5000)],
    ['a list of lists', Array.from({ length: 60 }, (_, n) => `${'  '.repeat(n)}- item`).join('\n')],
  ])('are covered and cut: %s', (_, text) => {
    for (const maxTokens of [32, 320]) {
      expectSound(parseMarkdownDocument(text, { maxTokens }), maxTokens)
    }
  })

  it('give no long headings to every chunk below', () => {
    const { chunks } = parseMarkdownDocument(`# ${'word '.repeat(4000)}\n\ntext\n`)
    for (const { headingPath } of chunks)
      expect(headingPath.join('').length).toBeLessThanOrEqual(512)
  })
})
