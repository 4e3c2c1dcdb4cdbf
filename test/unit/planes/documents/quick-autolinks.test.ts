import fc from 'fast-check'
import type { Construct } from 'micromark-util-types'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { type Processor, unified } from 'unified'
import { describe, expect, it } from 'vitest'

import { withQuickAutolinks } from '../../../../src/planes/documents/markdown/quick-autolinks.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'

function quickSyntax(this: Processor): void {
  const data = this.data()
  data.micromarkExtensions = (data.micromarkExtensions ?? []).map(withQuickAutolinks)
}

/** Finds bare addresses a second time in the tree, which would hide what the syntax does not find. */
function withoutTransforms(this: Processor): void {
  const data = this.data()
  data.fromMarkdownExtensions = [data.fromMarkdownExtensions ?? []]
    .flat(2)
    .map(({ transforms: _, ...extension }) => extension)
}

const gfm = unified().use(remarkParse).use(remarkGfm).use(withoutTransforms).freeze()
const quick = gfm().use(quickSyntax).freeze()

const piece = fc.oneof(
  fc.constantFrom(
    ...['a@b.co', 'ada.l+x_y-z@mail.example.org', 'a@b', '@c.de', 'x@@y.de', '+1@a.bc', '_a_@b.cd'],
    ...['www.example.org', 'WWW.example.org/a?b=(c)', 'www.', 'wwww.a.b', 'xwww.a.b', 'www.a&amp;'],
    ...[
      'http://a.b',
      'HTTPS://a.b/c.',
      'https:/a',
      'http://',
      'xhttp://a.b',
      'https://a@b.cd',
      'h',
    ],
    ...['the', 'words', 'where', 'who', '-', '.', '_', '*', '**', '[', ']', '![', '(', ')', '](u)'],
    ...[
      ' ',
      ' ',
      '  \n',
      '\n',
      '\t',
      '\r\n',
      '\n\n',
      '> ',
      '- ',
      '/',
      '~',
      '<',
      '>',
      '`',
      '|',
      '\\',
    ],
    ...['é', '中', '😀', '&', ':', '!', '1', '\n| a | b |\n|---|---|\n| ', '[^1]'],
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }).map((text) => text.replaceAll('\0', '')),
)

describe('withQuickAutolinks', () => {
  it('finds the same tree as GFM does', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('')
        expect(quick.parse(text)).toEqual(gfm.parse(text))
      }),
      { seed: 20_261_201, numRuns: 600 },
    )
  })

  it('finds addresses in brackets, cells, after tabs and in every case', () => {
    const text =
      'Mail ada@example.org,\t(HTTP://A.example) or *Www.example.org*\n\n| a |\n|---|\n| b@c.de |\n'
    const { links = [] } = parseMarkdownDocument(text)
    expect(links.map(({ span }) => text.slice(span.start, span.end))).toEqual([
      'ada@example.org',
      'HTTP://A.example',
      'Www.example.org',
      'b@c.de',
    ])
  })

  it('breaks the text only where an address begins', () => {
    let tries = 0
    const construct: Construct = {
      name: 'emailAutolink',
      previous: () => true,
      tokenize(_effects, _ok, nok) {
        tries += 1
        return nok
      },
    }
    function counted(this: Processor): void {
      this.data().micromarkExtensions = [withQuickAutolinks({ text: { 97: construct } })]
    }
    const parser = unified().use(remarkParse).use(counted).freeze()
    parser.parse('a line and another line\n'.repeat(100))
    expect(tries).toBe(0)
    parser.parse('a line, ada@example.org and another line\n')
    // At its beginning and, since this one has no say in what comes before, inside of it.
    expect(tries).toBe(2)
  })
})
