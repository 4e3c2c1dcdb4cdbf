import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

describeEngines('doc.search', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  const store = async (me: Identity, path: string, content: string, scope?: string) =>
    (await heddle().call(me, 'doc.import', { path, content }, scope)).source_id

  const search = async (me: Identity, args: Record<string, unknown>) => {
    const { hits } = await heddle().call(me, 'doc.search', { query: 'kiln', ...args })
    return hits.map(({ citations }) => citations[0]?.path).sort()
  }

  const page = (fields: string, body: string) => `---\n${fields}\n---\n\n${body}\n`

  it('finds chunks in documents by place, type and tags, in any combination', async () => {
    const me = await heddle().identity()
    const id = await store(me, 'a.md', page('type: note\ntags: [x, y]', 'The kiln is warm.'))
    await store(me, 'guides/b.md', page('type: guide\ntags: [x]', 'A kiln needs clay.'))
    await store(me, 'guides/deep/c.md', page('type: guide', 'The kiln burns.'))
    await store(me, 'other.md', 'Nothing of that kind.\n')
    expect(await search(me, {})).toEqual(['a.md', 'guides/b.md', 'guides/deep/c.md'])
    expect(await search(me, { id })).toEqual(['a.md'])
    expect(await search(me, { path: 'a.md' })).toEqual(['a.md'])
    expect(await search(me, { path: 'guides/' })).toEqual(['guides/b.md', 'guides/deep/c.md'])
    expect(await search(me, { paths: ['a.md', 'guides/deep/'] })).toEqual([
      'a.md',
      'guides/deep/c.md',
    ])
    expect(await search(me, { types: ['guide'] })).toEqual(['guides/b.md', 'guides/deep/c.md'])
    expect(await search(me, { tags: ['x'] })).toEqual(['a.md', 'guides/b.md'])
    expect(await search(me, { tags: ['x', 'y'] })).toEqual(['a.md'])
    expect(await search(me, { path: 'guides/', types: ['guide'], tags: ['x'] })).toEqual([
      'guides/b.md',
    ])
    expect(await search(me, { path: 'guides/', types: ['note'] })).toEqual([])
    expect(await search(me, { path: 'other.md' })).toEqual([])
  })

  it('cites the exact place of every hit', async () => {
    const me = await heddle().identity()
    const content = '\ufeff# Größe\r\n\r\nThe kiln 東京 is warm.\r\n'
    const id = await store(me, 'a.md', content)
    const answer = await heddle().call(me, 'doc.search', { query: 'warm kiln', top_k: 1 })
    const [hit] = answer.hits
    const [citation] = hit?.citations ?? []
    expect(citation).toMatchObject({ source_id: id, revision: 1, chunk_id: hit?.id, path: 'a.md' })
    const { start = 0, end = 0 } = citation?.span ?? {}
    expect(content.slice(start, end)).toBe(citation?.quote)
    expect(answer).toMatchObject({ sources_applied: true, filters_applied: { kinds: true } })
  })

  it('looks in documents only: not in texts, conversations or entries', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', 'The kiln.\n')
    await heddle().call(me, 'observe', { text: 'A kiln in a text.' })
    await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'The kiln, please.' }] })
    await heddle().call(me, 'kv.set', { key: 'kiln', value: 'kiln' })
    expect(await search(me, {})).toEqual(['a.md'])
    expect((await heddle().call(me, 'recall', { query: 'kiln' })).hits).toHaveLength(4)
  })

  it('searches the one document of an id where others have its path', async () => {
    const me = await heddle().identity()
    const mine = await store(me, 'a.md', 'My kiln.\n')
    const shared = await store(me, 'a.md', 'Our kiln.\n', 'tenant')
    const foundIn = async (args: Record<string, unknown>) => {
      const { hits } = await heddle().call(me, 'doc.search', { query: 'kiln', ...args })
      return hits.map(({ citations }) => citations[0]?.source_id)
    }
    expect(await foundIn({ id: mine })).toEqual([mine])
    expect(await foundIn({ id: shared })).toEqual([shared])
    expect(new Set(await foundIn({ path: 'a.md' }))).toEqual(new Set([mine, shared]))
  })

  it('refuses filters it does not know, and documents that are not there', async () => {
    const me = await heddle().identity()
    const foreign = await heddle().identity()
    const id = await store(foreign, 'secret.md', 'The kiln.\n')
    await store(me, 'a.md', 'The kiln.\n')
    const code = async (args: Record<string, unknown>) =>
      (await heddle().fail(me, 'doc.search', { query: 'kiln', ...args })).error.code
    expect(await code({ chunk_type: 'code' })).toBe('INPUT_INVALID')
    expect(await code({ status: 'final' })).toBe('INPUT_INVALID')
    expect(await code({ path: 'a.md', paths: ['a.md'] })).toBe('INPUT_INVALID')
    expect(await code({ tags: [] })).toBe('INPUT_INVALID')
    expect(await code({ query: ' ' })).toBe('INPUT_INVALID')
    expect(await code({ top_k: 101 })).toBe('INPUT_INVALID')
    expect(await code({ id })).toBe('NOT_FOUND')
    expect(await code({ path: 'secret.md' })).toBe('NOT_FOUND')
    expect(await code({ paths: ['a.md', 'secret.md'] })).toBe('NOT_FOUND')
    expect(await search(me, {})).toEqual(['a.md'])
  })

  it('finds a document where it is after a move, and no more once it is deleted', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', 'The kiln.\n')
    await heddle().call(me, 'doc.move', { path: 'a.md', to: 'guides/b.md' })
    expect(await search(me, { path: 'guides/' })).toEqual(['guides/b.md'])
    await heddle().call(me, 'doc.delete', { path: 'guides/b.md' })
    expect(await search(me, {})).toEqual([])
  })
})
