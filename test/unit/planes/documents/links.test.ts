import { describe, expect, it } from 'vitest'

import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'

/** Links as written, and what was read of them. */
function linksOf(text: string) {
  const { links = [] } = parseMarkdownDocument(text)
  return links.map(({ span, ...link }) => ({ ...link, source: text.slice(span.start, span.end) }))
}

describe('links', () => {
  it('have anchors that are cut between characters', () => {
    const [link] = linksOf(`[a](b.md#${'x'.repeat(499)}😀y)`)
    expect(link?.anchor).toBe('x'.repeat(499))
  })

  it('are found in every form, in their order', () => {
    const text = `\ufeff# See [A](a.md#top "title")

![alt](img/x.png) <https://example.org/#z> www.example.org [ref] [words][Ref] ![r][ref]

- [[Dock plan]] and [[Dock plan#Yard|the yard]] and ![[embed.md]]
- [![badge](b.svg)](ci.md)

[ref]: docs/ref.md#part
`
    expect(linksOf(text)).toEqual([
      { kind: 'link', target: 'a.md', anchor: 'top', label: 'A', source: '[A](a.md#top "title")' },
      { kind: 'image', target: 'img/x.png', label: 'alt', source: '![alt](img/x.png)' },
      {
        kind: 'link',
        target: 'https://example.org/',
        anchor: 'z',
        label: 'https://example.org/#z',
        source: '<https://example.org/#z>',
      },
      {
        kind: 'link',
        target: 'http://www.example.org',
        label: 'www.example.org',
        source: 'www.example.org',
      },
      { kind: 'link', target: 'docs/ref.md', anchor: 'part', label: 'ref', source: '[ref]' },
      {
        kind: 'link',
        target: 'docs/ref.md',
        anchor: 'part',
        label: 'words',
        source: '[words][Ref]',
      },
      { kind: 'image', target: 'docs/ref.md', anchor: 'part', label: 'r', source: '![r][ref]' },
      { kind: 'wiki', target: 'Dock plan', label: 'Dock plan', source: '[[Dock plan]]' },
      {
        kind: 'wiki',
        target: 'Dock plan',
        anchor: 'Yard',
        label: 'the yard',
        source: '[[Dock plan#Yard|the yard]]',
      },
      { kind: 'wiki', target: 'embed.md', label: 'embed.md', source: '![[embed.md]]' },
      { kind: 'link', target: 'ci.md', label: 'badge', source: '[![badge](b.svg)](ci.md)' },
      { kind: 'image', target: 'b.svg', label: 'badge', source: '![badge](b.svg)' },
    ])
  })

  it('in double brackets may stand in a table and point into their own document', () => {
    expect(linksOf('| a | b |\n|---|---|\n| [[x\\|y]] | [[#here]] |\n')).toMatchObject([
      { kind: 'wiki', target: 'x', label: 'y' },
      { kind: 'wiki', target: '', anchor: 'here' },
    ])
  })

  it.each([
    '`[[code]]`',
    '```\n[[code]]\n```',
    '\\[[escaped]]',
    '[\\[escaped]]',
    '[[]] [[ ]] [[|x]]',
    '[[two\nlines]]',
    '[[open] [[open',
    '[[^1]]\n\n[^1]: note',
    '<!-- [[x]] -->',
    '<a title="[[x]]">\n',
    '![x](data:image/png;base64,AAAA)',
  ])('are not seen in %j', (text) => {
    expect(linksOf(text)).toEqual([])
  })

  it('in double brackets leave to CommonMark what is its own', () => {
    expect(linksOf('[[1]](a.md) [[2]]\n\n[2]: b.md')).toMatchObject([
      { kind: 'link', target: 'a.md' },
      { kind: 'link', target: 'b.md', source: '[2]' },
    ])
    expect(linksOf('[[Ines]](our lead)')).toMatchObject([{ kind: 'wiki', target: 'Ines' }])
  })

  it('do not slow down on brackets without an end', () => {
    expect(linksOf('[['.repeat(5000))).toEqual([])
    expect(linksOf('[[a]](b'.repeat(3000)).length).toBe(3000)
  })

  it('change no word of a text around them', () => {
    const { chunks, title } = parseMarkdownDocument('# The [[Yard|old yard]] today\n\nText.\n')
    expect(title).toBe('The old yard today')
    expect(chunks[0]?.headingPath).toEqual(['The old yard today'])
  })
})
