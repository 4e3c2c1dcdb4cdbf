import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import type { OperationResult } from '../../../src/memory/registry.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

describeEngines('links of documents', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  const store = async (me: Identity, path: string, content: string, scope?: string) =>
    (await heddle().call(me, 'doc.import', { path, content }, scope)).source_id

  const linksOf = async (me: Identity, path: string) =>
    (await heddle().call(me, 'doc.links', { path })).links

  /** Where the first link of a document leads: a path, or why it leads nowhere. */
  const leadsTo = async (me: Identity, path: string) => {
    const [link] = await linksOf(me, path)
    return link?.resolved?.path ?? link?.state
  }

  const linkedFrom = async (me: Identity, path: string) =>
    (await heddle().call(me, 'doc.backlinks', { path })).backlinks.map((link) => link.path).sort()

  it('lists links with their words, places, chunks and targets', async () => {
    const me = await heddle().identity()
    const content = [
      '# From',
      '',
      'See [the setup](guides/setup.md#set-up), ![a crane](img/crane.png) and',
      '',
      '## Other',
      '',
      '[[Setup Guide#Set up|wiki]], [out](https://example.org/x), [here](#other), [none](../../x.md).',
      '',
    ].join('\n')
    await store(me, 'from.md', content)
    const target = await store(me, 'guides/setup.md', '# Setup Guide\n\n## Set up\n\nWords.\n')
    const outline = await heddle().call(me, 'doc.outline', { path: 'guides/setup.md' })
    const section = outline.chunks.find(({ title }) => title === 'Set up')?.chunk_id
    const own = await heddle().call(me, 'doc.outline', { path: 'from.md' })
    const leaves = own.chunks.filter(({ type }) => type !== 'section')
    const answer = await heddle().call(me, 'doc.links', { path: 'from.md' })
    expect(answer.total).toBe(6)
    const resolved = {
      source_id: target,
      path: 'guides/setup.md',
      title: 'Setup Guide',
      scope: 'agent',
      chunk_id: section,
    }
    expect(answer.links).toEqual([
      expect.objectContaining({
        kind: 'link',
        target: 'guides/setup.md',
        anchor: 'set-up',
        label: 'the setup',
        state: 'resolved',
        resolved,
        chunk_id: leaves[0]?.chunk_id,
      }),
      expect.objectContaining({ kind: 'image', label: 'a crane', state: 'unresolved' }),
      expect.objectContaining({
        kind: 'wiki',
        target: 'Setup Guide',
        anchor: 'Set up',
        label: 'wiki',
        state: 'resolved',
        resolved,
        chunk_id: leaves[1]?.chunk_id,
      }),
      expect.objectContaining({ target: 'https://example.org/x', state: 'outside' }),
      expect.objectContaining({
        state: 'resolved',
        resolved: expect.objectContaining({
          path: 'from.md',
          chunk_id: own.chunks.find(({ title }) => title === 'Other')?.chunk_id,
        }) as unknown,
      }),
      expect.objectContaining({ label: 'none', state: 'unresolved' }),
    ])
    expect(answer.links.map(({ span }) => content.slice(span.start, span.end))).toEqual([
      '[the setup](guides/setup.md#set-up)',
      '![a crane](img/crane.png)',
      '[[Setup Guide#Set up|wiki]]',
      '[out](https://example.org/x)',
      '[here](#other)',
      '[none](../../x.md)',
    ])
    const { backlinks } = await heddle().call(me, 'doc.backlinks', { id: target })
    expect(backlinks.map(({ kind, chunk_id, anchor }) => [kind, chunk_id, anchor])).toEqual([
      ['link', leaves[0]?.chunk_id, 'set-up'],
      ['wiki', leaves[1]?.chunk_id, 'Set up'],
    ])
  })

  it.each([
    ['a path', '[x](target.md)'],
    ['a path without its ending', '[x](./target)'],
    ['a wiki link by title', '[[The  Target]]'],
    ['a wiki link by the end of a path', '[[target]]'],
    ['a wiki link by alias', '[[Goal]]'],
  ])('resolves %s as soon as its target appears', async (_, link) => {
    const me = await heddle().identity()
    await store(me, 'from.md', `See ${link}.\n`)
    expect(await leadsTo(me, 'from.md')).toBe('unresolved')
    await store(me, 'target.md', '---\naliases: [Goal]\n---\n\n# The target\n')
    expect(await leadsTo(me, 'from.md')).toBe('target.md')
    expect(await linkedFrom(me, 'target.md')).toEqual(['from.md'])
  })

  it('follows a target that moves, by path and by name', async () => {
    const me = await heddle().identity()
    await store(me, 'path.md', '[x](target.md)')
    await store(me, 'name.md', '[[target]]')
    await store(me, 'target.md', 'Words.\n')
    await heddle().call(me, 'doc.move', { path: 'target.md', to: 'deep/goal.md' })
    expect(await leadsTo(me, 'path.md')).toBe('deep/goal.md')
    expect(await leadsTo(me, 'name.md')).toBe('deep/goal.md')
    expect(await linkedFrom(me, 'deep/goal.md')).toEqual(['name.md', 'path.md'])
    // Who has the path now goes before who had it.
    await store(me, 'target.md', 'Another.\n')
    expect(await leadsTo(me, 'path.md')).toBe('target.md')
    expect(await leadsTo(me, 'name.md')).toBe('target.md')
    expect(await linkedFrom(me, 'target.md')).toEqual(['name.md', 'path.md'])
    expect(await linkedFrom(me, 'deep/goal.md')).toEqual([])
  })

  it('follows a target whose title changes, and prefers who has the title now', async () => {
    const me = await heddle().identity()
    await store(me, 'from.md', '[[Old name]]')
    await store(me, 'a.md', '# Old name\n')
    await store(me, 'a.md', '# New name\n')
    expect(await leadsTo(me, 'from.md')).toBe('a.md')
    await store(me, 'b.md', '# Old name\n')
    expect(await leadsTo(me, 'from.md')).toBe('b.md')
    expect(await linkedFrom(me, 'a.md')).toEqual([])
    await store(me, 'b.md', '# Something else\n')
    await store(me, 'a.md', '# Old name\n')
    expect(await leadsTo(me, 'from.md')).toBe('a.md')
    expect(await linkedFrom(me, 'a.md')).toEqual(['from.md'])
  })

  it('reads relative links anew when their own document moves', async () => {
    const me = await heddle().identity()
    await store(me, 'a/target.md', 'First.\n')
    await store(me, 'b/target.md', 'Second.\n')
    await store(me, 'a/from.md', '[x](target.md)')
    expect(await leadsTo(me, 'a/from.md')).toBe('a/target.md')
    await heddle().call(me, 'doc.move', { path: 'a/from.md', to: 'b/from.md' })
    expect(await leadsTo(me, 'b/from.md')).toBe('b/target.md')
    expect(await linkedFrom(me, 'a/target.md')).toEqual([])
    expect(await linkedFrom(me, 'b/target.md')).toEqual(['b/from.md'])
  })

  it('forgets links that a new revision no longer has', async () => {
    const me = await heddle().identity()
    await store(me, 'target.md', 'Words.\n')
    await store(me, 'from.md', '[x](target.md) [y](target.md)')
    expect(await linkedFrom(me, 'target.md')).toEqual(['from.md', 'from.md'])
    await store(me, 'from.md', 'No more.')
    expect(await linkedFrom(me, 'target.md')).toEqual([])
    expect(await linksOf(me, 'from.md')).toEqual([])
  })

  it('leads nowhere when the target is deleted, and to its successor', async () => {
    const me = await heddle().identity()
    await store(me, 'path.md', '[x](target.md)')
    await store(me, 'name.md', '[[target]]')
    const first = await store(me, 'target.md', 'Words.\n')
    await heddle().call(me, 'doc.delete', { path: 'target.md' })
    expect(await leadsTo(me, 'path.md')).toBe('unresolved')
    expect(await leadsTo(me, 'name.md')).toBe('unresolved')
    const second = await store(me, 'target.md', 'Again.\n')
    expect(second).not.toBe(first)
    expect((await linksOf(me, 'path.md'))[0]?.resolved?.source_id).toBe(second)
    expect((await linksOf(me, 'name.md'))[0]?.resolved?.source_id).toBe(second)
    await heddle().call(me, 'doc.delete', { path: 'path.md' })
    expect(await linkedFrom(me, 'target.md')).toEqual(['name.md'])
  })

  it('reports every document that an ambiguous name may mean, the narrowest scope first', async () => {
    const me = await heddle().identity()
    await store(me, 'from.md', '[[Readme]]')
    await store(me, 'b/readme.md', 'B.\n', 'tenant')
    await store(me, 'a/readme.md', 'A.\n', 'agent')
    const [link] = await linksOf(me, 'from.md')
    expect(link?.state).toBe('ambiguous')
    expect(link?.resolved?.path).toBe('a/readme.md')
    expect(link?.candidates?.map(({ path, scope }) => [path, scope])).toEqual([
      ['a/readme.md', 'agent'],
      ['b/readme.md', 'tenant'],
    ])
    for (const path of ['a/readme.md', 'b/readme.md']) {
      const { backlinks } = await heddle().call(me, 'doc.backlinks', { path })
      expect(backlinks).toMatchObject([{ path: 'from.md', ambiguous: true }])
    }
  })

  it('leads a path into the scope of its own document first', async () => {
    const me = await heddle().identity()
    await store(me, 'from.md', '[x](a.md)', 'tenant')
    await store(me, 'a.md', 'Mine.\n', 'agent')
    expect((await linksOf(me, 'from.md'))[0]?.resolved?.scope).toBe('agent')
    await store(me, 'a.md', 'Shared.\n', 'tenant')
    expect((await linksOf(me, 'from.md'))[0]).toMatchObject({
      state: 'resolved',
      resolved: { scope: 'tenant' },
    })
  })

  it('never shows documents of others, as targets or as sources', async () => {
    const tenant = await heddle().identity()
    const other = await heddle().identity({ ...tenant, agent: 'a2' })
    const foreign = await heddle().identity()
    await store(tenant, 'from.md', '[x](secret.md) [[Secret]]', 'tenant')
    await store(tenant, 'target.md', 'Words.\n', 'tenant')
    for (const someone of [other, foreign]) {
      await store(someone, 'secret.md', '# Secret\n', 'agent')
      await store(someone, 'spy.md', '[x](target.md) [[target]]', 'agent')
    }
    expect((await linksOf(tenant, 'from.md')).map(({ state }) => state)).toEqual([
      'unresolved',
      'unresolved',
    ])
    expect(await linkedFrom(tenant, 'target.md')).toEqual([])
    expect((await linksOf(other, 'from.md')).map(({ state }) => state)).toEqual([
      'resolved',
      'resolved',
    ])
    expect(await linkedFrom(other, 'target.md')).toEqual(['spy.md', 'spy.md'])
  })

  it('pages links and backlinks without repeating or skipping any', async () => {
    const me = await heddle().identity()
    const target = await store(me, 'target.md', '# Target\n')
    const many = Array.from({ length: 25 }, (_, at) => `[l${at}](target.md)`).join(' ')
    await store(me, 'many.md', many)
    for (let at = 0; at < 4; at += 1) await store(me, `from-${at}.md`, '[[Target]] [[Nobody]]')
    const labels: unknown[] = []
    let cursor: string | undefined
    do {
      const page: OperationResult<'doc.links'> = await heddle().call(me, 'doc.links', {
        path: 'many.md',
        limit: 10,
        ...(cursor !== undefined && { cursor }),
      })
      expect(page.total).toBe(25)
      labels.push(...page.links.map(({ label }) => label))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(labels).toEqual(Array.from({ length: 25 }, (_, at) => `l${at}`))

    const found: string[] = []
    do {
      const page: OperationResult<'doc.backlinks'> = await heddle().call(me, 'doc.backlinks', {
        id: target,
        limit: 4,
        ...(cursor !== undefined && { cursor }),
      })
      found.push(...page.backlinks.map(({ path, span }) => `${path} ${span.start}`))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(found).toHaveLength(29)
    expect(new Set(found).size).toBe(29)
  })

  it('refuses a cursor of another revision, and an unknown argument', async () => {
    const me = await heddle().identity()
    await store(me, 'a.md', '[a](x.md) [b](y.md)')
    const page = await heddle().call(me, 'doc.links', { path: 'a.md', limit: 1 })
    await store(me, 'a.md', '[b](y.md)')
    const late = await heddle().fail(me, 'doc.links', { path: 'a.md', cursor: page.next_cursor })
    expect(late.error.code).toBe('CURSOR_INVALID')
    const odd = await heddle().fail(me, 'doc.backlinks', { path: 'a.md', depth: 2 })
    expect(odd.error).toMatchObject({ code: 'INPUT_INVALID' })
    expect((await heddle().fail(me, 'doc.backlinks', { path: 'z.md' })).error.code).toBe(
      'NOT_FOUND',
    )
  })

  it('keeps names and targets that look like code apart from code (cases 78, 80, 82)', async () => {
    const me = await heddle().identity()
    const names = ['__proto__', 'constructor', "x'; drop table heddle.link; --", '%s $1 {0}']
    for (const [at, name] of names.entries()) {
      await store(me, `odd/${at}.md`, `---\naliases:\n  - ${JSON.stringify(name)}\n---\n\nWords.\n`)
    }
    await store(me, 'from.md', names.map((name) => `[[${name}]]`).join('\n\n'))
    const links = await linksOf(me, 'from.md')
    expect(links.map(({ resolved }) => resolved?.path)).toEqual(
      names.map((_, at) => `odd/${at}.md`),
    )
  })
})
