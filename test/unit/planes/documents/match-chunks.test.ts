import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ChunkId } from '../../../../src/core/ids.ts'
import { isLeaf } from '../../../../src/planes/documents/document.ts'
import { type HeldChunk, matchChunks } from '../../../../src/planes/documents/match-chunks.ts'
import { parseMarkdownDocument } from '../../../../src/planes/documents/parse-markdown-document.ts'

function counter(prefix: string) {
  let count = 0
  return () => `${prefix}${(count += 1)}`
}

function hold(text: string): readonly HeldChunk[] {
  const { chunks } = parseMarkdownDocument(text, { maxTokens: 40 })
  return chunks.map((chunk, index) => ({
    chunkId: `old${index}` as ChunkId,
    isLeaf: isLeaf(chunk),
    headingPath: chunk.headingPath,
    hash: chunk.quote.hash,
    ...(chunk.parent !== undefined && { parentId: `old${chunk.parent}` as ChunkId }),
  }))
}

function match(before: string, after: string) {
  const { chunks } = parseMarkdownDocument(after, { maxTokens: 40 })
  const { ids, gone } = matchChunks(hold(before), chunks, counter('new'))
  const leaves = ids.filter((_, index) => isLeaf(chunks[index] as (typeof chunks)[number]))
  return { ids, leaves, gone }
}

const A = '## A\n\nAlpha words.\n\n'
const B = '## B\n\nBeta words.\n\n'
const C = '## C\n\nGamma words.\n\n'

describe('matchChunks', () => {
  it('keeps every id of an unchanged text', () => {
    const { ids, gone } = match(A + B + C, A + B + C)
    expect(ids).toEqual(['old0', 'old1', 'old2', 'old3', 'old4', 'old5'])
    expect(gone).toEqual([])
  })

  it('follows sections that move', () => {
    expect(match(A + B + C, C + A + B).ids).toEqual([
      'old4',
      'old5',
      'old0',
      'old1',
      'old2',
      'old3',
    ])
  })

  it('follows a section that is renamed, with what is left of its text', () => {
    const rest =
      'The long rest of this section stays as it was, word for word, and is its own chunk because it is long enough.\n\n'
    const { ids, gone } = match(`${A}${rest}${B}`, `${A.replace('## A', '## Renamed')}${rest}${B}`)
    expect(gone).toEqual([])
    expect(ids.every((id) => id.startsWith('old'))).toBe(true)
  })

  it('keeps the id of a chunk whose text was edited in its place', () => {
    const { ids, gone } = match(A + B + C, A + B.replace('Beta', 'Better') + C)
    expect(ids).toEqual(['old0', 'old1', 'old2', 'old3', 'old4', 'old5'])
    expect(gone).toEqual([])
  })

  it('gives new ids to what is inserted and lets go of what is removed', () => {
    expect(match(A + C, A + B + C).ids).toEqual(['old0', 'old1', 'new1', 'new2', 'old2', 'old3'])
    expect(match(A + B + C, A + C).gone).toEqual(['old2', 'old3'])
  })

  it('matches equal chunks in their order', () => {
    const same = 'Same.\n\n'
    expect(match(`# T\n\n${same}`, `# T\n\n${same}`).gone).toEqual([])
    expect(match(A + A, A + A).ids).toEqual(['old0', 'old1', 'old2', 'old3'])
  })

  it('gives every chunk one id and uses none twice, whatever changes', () => {
    const section = fc.constantFrom(A, B, C, '### D\n\nx\n\n', 'Loose words.\n\n', '- a\n- b\n\n')
    const text = fc.array(section, { maxLength: 10 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { ids, gone } = match(before, after)
        expect(new Set(ids).size).toBe(ids.length)
        const kept = ids.filter((id) => id.startsWith('old'))
        expect([...kept, ...gone].sort()).toEqual(
          hold(before)
            .map(({ chunkId }) => chunkId)
            .sort(),
        )
      }),
    )
  })
})
