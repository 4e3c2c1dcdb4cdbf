import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isOutside, targetNameOf } from '../../../../../src/planes/documents/links/link-target.ts'
import { parseDocumentPath } from '../../../../../src/planes/documents/path.ts'

const from = 'guides/deep/setup.md'
const link = (target: string) => targetNameOf(from, { kind: 'link', target })
const wiki = (target: string) => targetNameOf(from, { kind: 'wiki', target })

describe('targetNameOf', () => {
  it.each([
    ['use.md', 'guides/deep/use.md'],
    ['./use.md', 'guides/deep/use.md'],
    ['../use.md', 'guides/use.md'],
    ['../../readme.md', 'readme.md'],
    ['/readme.md', 'readme.md'],
    ['a//b.md', 'guides/deep/a/b.md'],
    ['My%20File.md', 'guides/deep/My File.md'],
    ['%2e%2e/use.md', 'guides/use.md'],
    ['gro\u0308ße.md', 'guides/deep/größe.md'],
    ['gr%C3%B6%C3%9Fe.md', 'guides/deep/größe.md'],
    ['100%.md', 'guides/deep/100%.md'],
    ['use.md?plain=1', 'guides/deep/use.md'],
    ['..\\use.md', 'guides/use.md'],
    ['sub/', 'guides/deep/sub'],
  ])('leads %s to %s', (target, path) => {
    expect(link(target)).toBe(path)
  })

  it.each([
    ['../../../out.md'],
    ['/../out.md'],
    ['%2e%2e/%2e%2e/%2e%2e/out.md'],
    ['https://example.org/a.md'],
    ['mailto:a@b.org'],
    ['//host/a.md'],
    [''],
    ['?x=1'],
    ['..'.concat('/..')],
    ['a%00.md'],
    ['a'.repeat(3000)],
  ])('leads %s nowhere', (target) => {
    expect(link(target)).toBeUndefined()
  })

  it.each([
    ['Setup  Guide', 'setup guide'],
    ['ＳＥＴＵＰ.md', 'setup'],
    ['guides/Setup', 'guides/setup'],
    ['../Use', 'guides/use'],
    ['/Readme', 'readme'],
    ['Note: odd', 'note: odd'],
  ])('folds the wiki name %s to %s', (target, name) => {
    expect(wiki(target)).toBe(name)
  })

  it('gives a wiki link without a name none', () => {
    expect(wiki('')).toBeUndefined()
    expect(wiki('../../../out')).toBeUndefined()
  })

  it('gives only what may be the path of a document', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      'a',
      'b.md',
      '%2F',
      '%2e',
      '\\',
      '%',
      ' ',
      '?',
      ':',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const path = link(pieces.join(''))
        if (path !== undefined && path === path.trim()) expect(parseDocumentPath(path)).toBe(path)
      }),
    )
  })
})

describe('isOutside', () => {
  it('is true for URLs, and never for wiki links', () => {
    expect(isOutside({ kind: 'link', target: 'HTTPS://example.org' })).toBe(true)
    expect(isOutside({ kind: 'image', target: 'data:image/png;base64,AA' })).toBe(true)
    expect(isOutside({ kind: 'link', target: 'a/b:c.md' })).toBe(false)
    expect(isOutside({ kind: 'wiki', target: 'Note: odd' })).toBe(false)
  })
})
