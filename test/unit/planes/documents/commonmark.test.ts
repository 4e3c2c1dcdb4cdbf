import { tests } from 'commonmark-spec'
import { describe, expect, it } from 'vitest'

import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { expectSound, parseUnlessRefused } from './expect-sound.ts'

/** As the examples of the specification write a tab. */
const examples = tests.map(({ markdown, number, section }) => ({
  name: `${number} (${section})`,
  text: markdown.replaceAll('→', '\t'),
}))

describe('the examples of CommonMark', () => {
  it('are all there', () => {
    expect(examples.length).toBeGreaterThan(600)
  })

  it.each(examples)('$name', ({ text }) => {
    for (const given of variants(text)) {
      for (const maxTokens of [16, 320]) {
        const parsed = parseUnlessRefused(given, { maxTokens })
        if (parsed !== undefined) expectSound(parsed, maxTokens)
      }
    }
  })

  it('have a place in the middle of a document too', () => {
    const text = examples.map((example) => `# ${example.name}\n\n${example.text}\n`).join('\n')
    expectSound(parseMarkdownDocument(`Intro\n\n${text}`), 320)
  })
})

function variants(text: string): readonly string[] {
  const mixed = text.replaceAll('\n', '\r\n').replace('\r\n', '\n')
  return [text, `\ufeff${text}`, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r'), mixed]
}
