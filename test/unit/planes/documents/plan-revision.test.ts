import { describe, expect, it } from 'vitest'

import type { ChunkId } from '../../../../src/core/ids.ts'
import { quoteOf } from '../../../../src/evidence/index.ts'
import { isLeaf } from '../../../../src/planes/documents/document.ts'
import {
  type HeldRevision,
  planRevision,
  type RevisionPlan,
} from '../../../../src/planes/documents/plan-revision.ts'

const { signal } = new AbortController()

function counter() {
  let count = 0
  return () => `id${(count += 1)}`
}

/** What a store would hold after a plan was written. */
function toHeld({ parsed, match, description }: RevisionPlan, revision: number): HeldRevision {
  const chunks = parsed.chunks.map((chunk, index) => ({
    chunkId: match.ids[index] as ChunkId,
    isLeaf: isLeaf(chunk),
    type: chunk.type,
    headingPath: chunk.headingPath,
    quote: chunk.quote,
    ...(chunk.parent !== undefined && { parentId: match.ids[chunk.parent] as ChunkId }),
    ...(chunk.tags !== undefined && { tags: chunk.tags }),
  }))
  return { revision, text: parsed.text, chunks, description, path: 'yard.md' }
}

const newId = counter()

function plan(text: string, held?: HeldRevision, given = {}) {
  return planRevision(text, held, { newId, tenant: 't', path: 'yard.md', given }, {}, signal)
}

const sections = Array.from(
  { length: 1200 },
  (_, n) =>
    `## Part ${n}\n\nThe crate number ${n} of the yard goes to dock ${n % 7} [[Dock ${n}]].\n\n`,
)
const large = `# Yard\n\n${sections.join('')}`

describe('planning a revision', () => {
  it('gives everything that a first revision takes', async () => {
    const text =
      '---\ntags: [yard]\ntype: plan\n---\n# Yard\n\nWords.\n\n:::task{.crates}\nMove it.\n:::\n'
    const { base, parsed, description, match, items, unrecalled } = await plan(text)
    expect(base).toBe(0)
    expect(description).toMatchObject({ title: 'Yard', type: 'plan', tags: ['yard'] })
    expect(match.ids).toHaveLength(parsed.chunks.length)
    expect(
      items.map(({ chunk, item }) => [parsed.chunks[chunk]?.type, item.type, item.tags]),
    ).toEqual([
      ['paragraph', 'plan', ['yard']],
      ['task', 'task', ['yard', 'crates']],
    ])
    expect(items[1]?.item).toMatchObject({ kind: 'chunk', title: 'Yard', path: 'yard.md' })
    expect(items[1]?.item.lexemes).toContain("'move'")
    expect(unrecalled).toEqual([])
  })

  it('analyses one chunk where one word of a large text changed', async () => {
    const held = toHeld(await plan(large), 1)
    const next = await plan(large.replace('number 1199 of', 'number 1199b of'), held)
    expect(next.base).toBe(1)
    expect(next.match.ids).toEqual(held.chunks.map(({ chunkId }) => chunkId))
    expect(next.items).toHaveLength(1)
    expect(next.items[0]?.item.text).toContain('1199b')
    expect(next.unrecalled).toEqual([])
    expect(next.parsed.links).toHaveLength(1200)
  })

  it('has nothing to do for the same text, and every item for a new title', async () => {
    const held = toHeld(await plan(large), 1)
    expect((await plan(large, held)).items).toEqual([])
    const retitled = await plan(large, held, { title: 'Other' })
    expect(retitled.items).toHaveLength(1200)
    expect(retitled.items[0]?.item.title).toMatch(/^Other > /)
  })

  it('takes what is gone, and headings that became bare, out of recall', async () => {
    const held = toHeld(await plan('# Yard\n\n## A\n\nWords of A.\n\n## B\n'), 1)
    const next = await plan('# Yard\n\n## B\n\n### C\n\nNew words.\n', held)
    const quotes = next.unrecalled.map((id) => {
      const chunk = held.chunks.find(({ chunkId }) => chunkId === id)
      return chunk && quoteOf(held.text, chunk.quote)
    })
    expect(quotes).toContain('## B')
    expect(quotes).toContain('## A\n\nWords of A.')
  })

  it('searches the labels of a diagram and keeps its code as the text', async () => {
    const code = '```mermaid\nflowchart LR\n  A[Crate] --> B[Dock]\n```'
    const { items } = await plan(`${code}\n`)
    expect(items.map(({ item }) => item.text)).toEqual([code])
    const [words = ''] = items.map(({ item }) => item.lexemes)
    expect(words).toMatch(/crate.*dock/)
    expect(words).not.toContain('flowchart')
  })

  it('goes on after a text that is refused', async () => {
    const broken = `---\na: [\n---\n${'words '.repeat(500)}`
    await expect(plan(broken)).rejects.toMatchObject({ code: 'DOCUMENT_FRONT_MATTER' })
    expect((await plan(large)).items).toHaveLength(1200)
  })

  it('ends when it is given up', async () => {
    const abort = new AbortController()
    const planning = planRevision(
      large,
      undefined,
      { newId, tenant: 't', given: {} },
      {},
      abort.signal,
    )
    abort.abort()
    await expect(planning).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
