import { describe, expect, it } from 'vitest'

import { quoteOf } from '../../../../src/evidence/index.ts'
import { isLeaf } from '../../../../src/planes/documents/document.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'
import { expectSound } from './expect-sound.ts'

const decision =
  ':::decision[Dock 4 it is]{#d1 .yard .crates owner=ines due="next week"}\nWords.\n:::\n'

function leavesOf(text: string, maxTokens = 320) {
  const parsed = parseMarkdownDocument(text, { maxTokens })
  expectSound(parsed, maxTokens)
  const leaves = parsed.chunks
    .filter(isLeaf)
    .map((chunk) => ({ ...chunk, text: quoteOf(text, chunk.quote) }))
  return { ...parsed, leaves }
}

describe('directives', () => {
  it('give type, tags and fields to a leaf of their own', () => {
    const { leaves, issues } = leavesOf(`Before.\n\n${decision}\nAfter.\n`)
    expect(leaves.map(({ type }) => type)).toEqual(['paragraph', 'decision', 'paragraph'])
    expect(leaves[1]).toMatchObject({
      text: decision.trim(),
      isTyped: true,
      tags: ['yard', 'crates'],
      fields: { title: 'Dock 4 it is', id: 'd1', owner: 'ines', due: 'next week' },
    })
    expect(leaves[0]?.tags).toBeUndefined()
    expect(issues).toBeUndefined()
  })

  it('hold together what is too large for one leaf', () => {
    const items = Array.from({ length: 12 }, (_, n) => `- item ${n} with some words`).join('\n')
    const { leaves } = leavesOf(`Before.\n\n:::task{.t}\n\n${items}\n\n:::\n\nAfter.\n`, 40)
    const inside = leaves.filter(({ type }) => type === 'task')
    expect(inside.length).toBeGreaterThan(1)
    expect(inside[0]?.text).toMatch(/^:::task/)
    expect(inside.at(-1)?.text).toMatch(/:::$/)
    expect(inside.every(({ tags }) => tags?.[0] === 't')).toBe(true)
    expect(leaves.at(0)?.text).toBe('Before.')
    expect(leaves.at(-1)?.text).toBe('After.')
  })

  it('open no section', () => {
    const { chunks } = leavesOf('# A\n\n:::note\n# Not one\n\nWords.\n:::\n\nMore.\n')
    expect(chunks.map(({ type }) => type)).toEqual(['section', 'heading', 'note', 'paragraph'])
  })

  it('stand inside one another', () => {
    const { leaves } = leavesOf('::::note{.a}\nOuter.\n\n:::task{.b}\nInner.\n:::\n\nRest.\n::::\n')
    expect(leaves.map(({ type, tags }) => [type, tags])).toEqual([
      ['note', ['a']],
      ['task', ['a', 'b']],
      ['note', ['a']],
    ])
  })

  it('take types that a caller knows', () => {
    const text = ':::incident\nWords.\n:::\n'
    expect(parseMarkdownDocument(text, { chunkTypes: ['incident'] }).chunks[0]?.type).toBe(
      'incident',
    )
    const { leaves, issues } = leavesOf(`One.\n\n${text}`)
    expect(leaves.map(({ type }) => type)).toEqual(['paragraph', 'paragraph'])
    expect(issues).toMatchObject([{ code: 'directive_unknown', line: 3 }])
  })

  it('are text where their fence is missing', () => {
    const { chunks, issues } = leavesOf('One.\n\n:::note\n\n# Heading\n\nWords.\n')
    expect(chunks.map(({ type }) => type)).toEqual(['paragraph', 'section', 'paragraph'])
    expect(issues).toMatchObject([{ code: 'directive_unclosed', line: 3 }])
  })

  it('are nothing inside lists and quotes', () => {
    const { leaves, issues } = leavesOf('> :::note\n> Words.\n> :::\n')
    expect(leaves.map(({ type }) => type)).toEqual(['quote'])
    expect(issues).toMatchObject([{ code: 'directive_nested' }])
  })

  it('carry no attributes that are too large', () => {
    const { leaves, issues } = leavesOf(`:::note{a="${'x'.repeat(5000)}"}\nWords.\n:::\n`)
    expect(leaves.every(({ fields }) => fields === undefined)).toBe(true)
    expect(issues).toMatchObject([{ code: 'directive_attributes' }])
  })

  it.each([
    'At 10:30 we met.',
    'std::vector and a:b',
    '::leaf[x]',
    ':smile:',
    '::: tip Title',
    ':::',
  ])('are not seen in %s', (text) => {
    const { leaves, issues } = leavesOf(text)
    expect(leaves.map(({ type }) => type)).toEqual(['paragraph'])
    expect(issues).toBeUndefined()
  })
})
