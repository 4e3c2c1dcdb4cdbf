import { describe, expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const page = (fields: string, body = 'Words.\n') => `---\n${fields}\n---\n\n${body}`

describeEngines('doc.find and doc.tags', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  const store = (me: Identity, path: string, content: string, scope?: string) =>
    heddle().call(me, 'doc.import', { path, content }, scope)

  const find = async (me: Identity, args: Record<string, unknown>) => {
    const found = await heddle().call(me, 'doc.find', args)
    expect(found.total).toBe(found.documents.length)
    return found.documents.map(({ path }) => path)
  }

  const failure = async (me: Identity, args: Record<string, unknown>) => {
    const { error } = await heddle().fail(me, 'doc.find', args)
    return [error.code, error.issues[0]?.path.join('.')]
  }

  describe('filters', () => {
    it('by path, folder, pattern, type, status, tags and front matter, all of them together', async () => {
      const me = await heddle().identity()
      await store(me, 'a.md', page('type: note\nstatus: draft\ntags: [x, y]\nowner: ines'))
      await store(
        me,
        'guides/b.md',
        page('type: guide\nstatus: final\ntags: [x]\nowner: [ines, bo]'),
      )
      await store(
        me,
        'guides/deep/c.md',
        page('type: guide\ntags: [y]\nowner: bo\nrank: 3\nopen: true'),
      )
      await store(me, 'guidesx.md', page('rank: "3"\nopen: null\nnested:\n  owner: ines'))
      expect(await find(me, {})).toEqual(['a.md', 'guides/b.md', 'guides/deep/c.md', 'guidesx.md'])
      expect(await find(me, { path: 'guides/b.md' })).toEqual(['guides/b.md'])
      expect(await find(me, { path: 'guides/' })).toEqual(['guides/b.md', 'guides/deep/c.md'])
      expect(await find(me, { path: 'guides' })).toEqual([])
      expect(await find(me, { glob: 'guides/*.md' })).toEqual(['guides/b.md'])
      expect(await find(me, { glob: '**/[abc].md' })).toEqual([])
      expect(await find(me, { type: 'guide' })).toEqual(['guides/b.md', 'guides/deep/c.md'])
      expect(await find(me, { status: 'draft' })).toEqual(['a.md'])
      expect(await find(me, { tags: ['x'] })).toEqual(['a.md', 'guides/b.md'])
      expect(await find(me, { tags: ['x', 'y'] })).toEqual(['a.md'])
      expect(await find(me, { fields: { owner: 'ines' } })).toEqual(['a.md', 'guides/b.md'])
      expect(await find(me, { fields: { owner: 'bo', rank: 3 } })).toEqual(['guides/deep/c.md'])
      expect(await find(me, { fields: { rank: '3' } })).toEqual(['guidesx.md'])
      expect(await find(me, { fields: { open: true } })).toEqual(['guides/deep/c.md'])
      expect(await find(me, { fields: { open: null } })).toEqual(['guidesx.md'])
      expect(await find(me, { path: 'guides/', tags: ['x'], status: 'final' })).toEqual([
        'guides/b.md',
      ])
      const [found] = (await heddle().call(me, 'doc.find', { status: 'draft' })).documents
      expect(found).toMatchObject({
        path: 'a.md',
        scope: 'agent',
        type: 'note',
        status: 'draft',
        tags: ['x', 'y'],
        revision: 1,
      })
    })

    it('refuses what it does not know instead of passing it over (cases 48, 154)', async () => {
      const me = await heddle().identity()
      expect(await failure(me, { tag: 'x' })).toEqual(['INPUT_INVALID', 'tag'])
      expect(await failure(me, { fields: { owner: ['ines'] } })).toEqual([
        'INPUT_INVALID',
        'fields.owner',
      ])
      expect(await failure(me, { fields: { owner: { is: 'ines' } } })).toEqual([
        'INPUT_INVALID',
        'fields.owner',
      ])
      expect(await failure(me, { fields: {} })).toEqual(['INPUT_INVALID', 'fields'])
      expect(await failure(me, { fields: [] })).toEqual(['INPUT_INVALID', 'fields'])
      expect(await failure(me, { tags: [] })).toEqual(['INPUT_INVALID', 'tags'])
      expect(await failure(me, { status: 'a', fields: { status: 'b' } })).toEqual([
        'INPUT_INVALID',
        'status',
      ])
      expect(await failure(me, { kind: 'conversation', path: 'a.md' })).toEqual([
        'INPUT_INVALID',
        'path',
      ])
      expect(await failure(me, { path: '../a.md' })).toEqual(['INPUT_INVALID', 'path'])
    })

    it.each([[-1], [0], [1e9], ['abc'], [1.5]])(
      'refuses %s as a limit (case 158)',
      async (limit) => {
        const me = await heddle().identity()
        expect(await failure(me, { limit })).toEqual(['INPUT_INVALID', 'limit'])
        const tags = await heddle().fail(me, 'doc.tags', { limit })
        expect(tags.error.code).toBe('INPUT_INVALID')
      },
    )

    it('takes names and values that look like code as they are (cases 78, 80)', async () => {
      const me = await heddle().identity()
      const odd = { __proto__x: 'a', constructor: "' or 1=1 --", toString: '%_\\' }
      await store(
        me,
        'odd.md',
        page(
          Object.entries(odd)
            .map(([k, v]) => `${k}: ${JSON.stringify(v)}`)
            .join('\n'),
        ),
      )
      const reserved = { path: 'proto.md', content: page('"__proto__": b') }
      const refused = await heddle().fail(me, 'doc.import', reserved)
      expect(refused.error.details).toMatchObject({ reason: 'KEY_RESERVED' })
      await store(me, 'plain.md', page('owner: ines'))
      expect(await find(me, { fields: odd })).toEqual(['odd.md'])
      expect(await find(me, { fields: { constructor: "' or 1=1" } })).toEqual([])
      const proto = JSON.parse('{"__proto__": "nobody"}') as Record<string, unknown>
      expect(await find(me, { fields: proto })).toEqual([])
      expect(await find(me, { status: "' or 1=1 --" })).toEqual([])
      expect(await find(me, { glob: '.*' })).toEqual([])
    })

    it('finds conversations by kind', async () => {
      const me = await heddle().identity()
      await store(me, 'a.md', 'Words.\n')
      const turns = [{ role: 'user', content: 'Hello there.' }]
      await heddle().call(me, 'observe', { conversation: 'standup', turns })
      const { documents } = await heddle().call(me, 'doc.find', { kind: 'conversation' })
      expect(documents).toMatchObject([{ conversation: 'standup', revision: 1 }])
    })
  })

  it('sees only what the reader may see, and what is not deleted', async () => {
    const me = await heddle().identity()
    const other = await heddle().identity({ ...me, agent: 'a2' })
    const foreign = await heddle().identity()
    await store(me, 'mine.md', page('tags: [mine]'))
    await store(me, 'shared.md', page('tags: [shared]'), 'tenant')
    await store(foreign, 'shared.md', page('tags: [foreign]'))
    expect(await find(other, {})).toEqual(['shared.md'])
    expect((await heddle().call(other, 'doc.tags', {})).tags).toEqual([
      { tag: 'shared', documents: 1 },
    ])
    await heddle().call(me, 'doc.delete', { path: 'mine.md' })
    expect(await find(me, {})).toEqual(['shared.md'])
    expect((await heddle().call(me, 'doc.tags', {})).total).toBe(1)
  })

  it('pages in a fixed order while others write: nothing twice, nothing left out (case 162)', async () => {
    const me = await heddle().identity()
    const name = (at: number) => `n-${String(at).padStart(3, '0')}.md`
    // Even ones are there from the beginning, odd ones come while reading goes on.
    for (let at = 0; at < 40; at += 2) await store(me, name(at), `Number ${at}.\n`)
    const seen: string[] = []
    let cursor: string | undefined
    let at = 1
    do {
      const answer = await heddle().call(me, 'doc.find', {
        limit: 7,
        ...(cursor !== undefined && { cursor }),
      })
      expect(answer.documents.length).toBeLessThanOrEqual(7)
      seen.push(...answer.documents.map(({ path = '' }) => path))
      cursor = answer.next_cursor
      for (let more = 0; more < 4 && at < 40; more += 1, at += 2) {
        await store(me, name(at), `Number ${at}.\n`)
      }
      // A new revision and another description do not change the order either.
      await store(me, name(0), `Again ${at}.\n`)
    } while (cursor !== undefined)
    expect(seen).toEqual([...new Set(seen)].sort())
    for (let even = 0; even < 40; even += 2) expect(seen).toContain(name(even))
    const { total } = await heddle().call(me, 'doc.find', { limit: 1 })
    expect(total).toBe(20 + (at - 1) / 2)
  })

  it('orders the same path in several scopes, and refuses a cursor of other filters', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', 'Mine.\n')
    await store(me, 'a.md', 'Shared.\n', 'tenant')
    const first = await heddle().call(me, 'doc.find', { limit: 1 })
    const second = await heddle().call(me, 'doc.find', {
      limit: 1,
      ...(first.next_cursor !== undefined && { cursor: first.next_cursor }),
    })
    const scopes = [first, second].map(({ documents }) => documents[0]?.scope)
    expect(new Set(scopes)).toEqual(new Set(['agent', 'tenant']))
    expect(second.next_cursor).toBeUndefined()
    const wrong = { cursor: first.next_cursor, path: 'a.md' }
    expect((await heddle().fail(me, 'doc.find', wrong)).error.code).toBe('CURSOR_INVALID')
  })

  it('counts documents by tag, by prefix and page by page', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', page('tags: [team/x, team/y, Z]'))
    await store(me, 'g/b.md', page('tags: [team/x, "%"]'))
    const all = await heddle().call(me, 'doc.tags', {})
    expect(all).toEqual({
      tags: [
        { tag: '%', documents: 1 },
        { tag: 'Z', documents: 1 },
        { tag: 'team/x', documents: 2 },
        { tag: 'team/y', documents: 1 },
      ],
      total: 4,
    })
    expect((await heddle().call(me, 'doc.tags', { prefix: 'team/' })).total).toBe(2)
    expect((await heddle().call(me, 'doc.tags', { prefix: '%' })).total).toBe(1)
    expect((await heddle().call(me, 'doc.tags', { path: 'g/' })).total).toBe(2)
    const first = await heddle().call(me, 'doc.tags', { limit: 3 })
    expect(first.tags).toEqual(all.tags.slice(0, 3))
    const rest = await heddle().call(me, 'doc.tags', {
      limit: 3,
      ...(first.next_cursor !== undefined && { cursor: first.next_cursor }),
    })
    expect(rest.tags).toEqual(all.tags.slice(3))
    expect(rest.next_cursor).toBeUndefined()
  })
})
