import { describe, expect, it } from 'vitest'

import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { expectSound } from './expect-sound.ts'

const table = '| a | b |\n| --- | :-: |\n'

/** Texts in the syntax that GitHub adds, and the type of their leaves. */
const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['a table', `${table}| 1 | 2 |\n`, ['table']],
  ['a table without outer bars', 'a | b\n-- | --\n1 | 2', ['table']],
  ['a table of its head alone', table, ['table']],
  ['a table with rows too short and too long', `${table}| 1 |\n| 1 | 2 | 3 |\n`, ['table']],
  ['an escaped bar in a cell', `${table}| a \\| b | \`c \\| d\` |\n`, ['table']],
  ['a table that ends at a quote', `${table}| 1 | 2 |\n> quote\n`, ['table', 'quote']],
  ['a table that ends at a blank line', `${table}| 1 | 2 |\n\nwords\n`, ['table', 'paragraph']],
  ['a table of unequal head and rule', '| a | b |\n| --- |\n| c |\n', ['paragraph']],
  ['a table in a list', `- item\n\n  ${table.replace('\n', '\n  ')}`, ['list']],
  ['a table in a quote', `> ${table.replace('\n', '\n> ')}`, ['quote']],
  ['a table right after a paragraph', `words\n${table}`, ['paragraph', 'table']],
  ['tasks', '- [ ] open\n- [x] done\n  - [ ] inner\n', ['list']],
  ['no task without a list', '[ ] words\n', ['paragraph']],
  ['struck words', 'was ~~old~~ and ~older~, not ~~~this\n\nend', ['paragraph']],
  [
    'bare addresses',
    'www.example.org https://example.org/a?b=(c) and a.b@example.org.',
    ['paragraph'],
  ],
  [
    'addresses with marks after them',
    '(https://example.org/), http://x.example/&amp;.',
    ['paragraph'],
  ],
  ['no address inside a word', 'xwww.example.org foo@bar', ['paragraph']],
  ['HTML that GitHub filters', '<title>x</title>\n\n<script>\n\na\n</script>\n', ['html']],
  ['a footnote', 'words[^1]\n\n[^1]: The note.\n', ['paragraph']],
  ['a footnote of many blocks', 'w[^n]\n\n[^n]: One.\n\n    Two.\n\n    - three\n', ['paragraph']],
  ['a footnote without its note', 'words[^none]\n', ['paragraph']],
  ['an alert', '> [!NOTE]\n> Words.\n', ['quote']],
]

describe('the syntax of GitHub', () => {
  it.each(cases)('%s', (_, text, types) => {
    const { chunks } = parseMarkdownDocument(text)
    expect(chunks.map(({ type }) => type)).toEqual(types)
    for (const given of [text, text.replaceAll('\n', '\r\n'), `\ufeff${text}`, `# T\n\n${text}`]) {
      for (const maxTokens of [16, 320]) {
        expectSound(parseMarkdownDocument(given, { maxTokens }), maxTokens)
      }
    }
  })
})
