import { expect, it } from 'vitest'

import { readDocumentRows } from '../../support/document-rows.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const KILN =
  '# Kiln\n\nGlaze firing takes nine hours.\n\n## Cones\n\nCone six is usual.\n\n## Log\n\n- first\n'

describeEngines('doc.create', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('stores a document, and refuses a path that is taken with the id that holds it', async () => {
    const me = await heddle().identity()
    const made = await heddle().call(me, 'doc.create', { path: 'kiln.md', content: KILN })
    expect(made).toMatchObject({ path: 'kiln.md', revision: 1, changed: true })
    for (const content of [KILN, 'other']) {
      const { error } = await heddle().fail(me, 'doc.create', { path: 'kiln.md', content })
      expect(error).toMatchObject({
        code: 'PATH_TAKEN',
        details: { id: made.source_id, path: 'kiln.md' },
      })
    }
    expect((await heddle().call(me, 'doc.get', { path: 'kiln.md' })).revision).toBe(1)
  })

  it('lets one of eight win a path', async () => {
    const me = await heddle().identity()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        heddle().reply(me, 'doc.create', { path: 'race.md', content: `# ${n}\n\nText ${n}.\n` }),
      ),
    )
    const won = replies.filter((reply) => reply.ok)
    expect(won).toHaveLength(1)
    const lost = replies.flatMap((reply) => (reply.ok ? [] : [reply.error]))
    expect(lost.map(({ code }) => code)).toEqual(Array(7).fill('PATH_TAKEN'))
    const held = await heddle().call(me, 'doc.get', { path: 'race.md' })
    expect(lost.map(({ details }) => details['id'])).toEqual(Array(7).fill(held.source_id))
    expect(held.revision).toBe(1)
  })

  it('answers a repeated idempotency key as before, though the path is taken now', async () => {
    const me = await heddle().identity()
    const args = { path: 'a.md', content: KILN, idempotency_key: 'once' }
    const first = await heddle().call(me, 'doc.create', args)
    expect(await heddle().call(me, 'doc.create', args)).toEqual(first)
  })

  it('leaves the same path of another scope alone', async () => {
    const me = await heddle().identity()
    const ours = await heddle().call(me, 'doc.create', { path: 'a.md', content: KILN })
    const wide = await heddle().call(me, 'doc.create', { path: 'a.md', content: KILN }, 'tenant')
    expect(wide.source_id).not.toBe(ours.source_id)
  })
})

describeEngines('doc.update', (engine) => {
  const heddle = () => makeTestHeddle(engine())
  const start = async (content = KILN) => {
    const me = await heddle().identity()
    await heddle().call(me, 'doc.create', { path: 'kiln.md', content })
    const { chunks } = await heddle().call(me, 'doc.outline', { path: 'kiln.md' })
    const section = (title: string) =>
      chunks.find((chunk) => chunk.title === title)?.chunk_id ?? 'none'
    return { me, chunks, section }
  }
  const path = 'kiln.md'
  const contentOf = async (me: Awaited<ReturnType<typeof start>>['me']) =>
    (await heddle().call(me, 'doc.get', { path })).content

  it('replaces the whole text of the revision that was read', async () => {
    const { me } = await start()
    const content = KILN.replace('nine', 'ten')
    const done = await heddle().call(me, 'doc.update', { path, content, if_revision: 1 })
    expect(done).toMatchObject({ revision: 2, changed: true })
    expect(done.chunks).toMatchObject({
      total: 3,
      kept: 3,
      edited: 1,
      added: 0,
      removed: 0,
      moved: 0,
    })
    expect(await contentOf(me)).toBe(content)
    const late = await heddle().fail(me, 'doc.update', { path, content: 'x', if_revision: 1 })
    expect(late.error).toMatchObject({
      code: 'REVISION_MISMATCH',
      retry: 'reread',
      details: { id: done.source_id, expected: 1, actual: 2 },
    })
    expect(await contentOf(me)).toBe(content)
  })

  it('lets one of eight updates of one revision win', async () => {
    const { me } = await start()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        heddle().reply(me, 'doc.update', { path, content: `# ${n}\n`, if_revision: 1 }),
      ),
    )
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1)
    const codes = replies.flatMap((reply) => (reply.ok ? [] : [reply.error.code]))
    expect(codes).toEqual(Array(7).fill('REVISION_MISMATCH'))
    expect((await heddle().call(me, 'doc.get', { path })).revision).toBe(2)
  })

  it('replaces what one chunk quotes and nothing else', async () => {
    const { me, chunks } = await start()
    const leaf = chunks.find(({ level, span }) => level === undefined && span.start > 0)
    const done = await heddle().call(me, 'doc.update', {
      path,
      chunk_id: leaf?.chunk_id.toUpperCase() ?? '',
      content: '## Cones\n\nCone ten is better.',
      if_revision: 1,
    })
    expect(done.chunks).toMatchObject({ kept: 3, edited: 1 })
    expect(await contentOf(me)).toBe(KILN.replace('Cone six is usual.', 'Cone ten is better.'))
  })

  it('replaces a section with all it contains', async () => {
    const { me, section } = await start()
    await heddle().call(me, 'doc.update', {
      path,
      chunk_id: section('Cones'),
      content: '## Cones\n\nNone.\n\n### Why\n\nBecause.',
      if_revision: 1,
    })
    expect(await contentOf(me)).toBe(
      '# Kiln\n\nGlaze firing takes nine hours.\n\n## Cones\n\nNone.\n\n### Why\n\nBecause.\n\n## Log\n\n- first\n',
    )
    const after = await heddle().call(me, 'doc.outline', { path })
    expect(after.chunks.find(({ title }) => title === 'Cones')?.chunk_id).toBe(section('Cones'))
  })

  it('refuses a chunk that the newest revision does not have', async () => {
    const { me, section } = await start()
    await heddle().call(me, 'doc.update', { path, content: '# Kiln\n', if_revision: 1 })
    const args = { path, chunk_id: section('Log'), content: 'x', if_revision: 2 }
    const { error } = await heddle().fail(me, 'doc.update', args)
    expect(error).toMatchObject({ code: 'NOT_FOUND', details: { chunk_id: section('Log') } })
  })

  it.each([
    [{ content: 'x' }, ['if_revision']],
    [{ content: 'x', append: 'y', if_revision: 1 }, ['append']],
    [{ chunk_id: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11', if_revision: 1 }, ['content']],
    [{}, ['content']],
    [{ id: '7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11', append: 'x' }, ['path']],
  ])('refuses %j', async (args, field) => {
    const { me } = await start()
    const { error } = await heddle().fail(me, 'doc.update', { path, ...args })
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: field }] })
  })

  it('appends exactly what is given', async () => {
    const { me } = await start('# Log\n\nno line end')
    for (const append of [' here', '\r\n', '', '\u00e9e\u0301 👩‍👩‍👧‍👦', '\n\n## Next\n']) {
      const before = await contentOf(me)
      const done = await heddle().call(me, 'doc.update', { path, append })
      expect(done.changed).toBe(append !== '')
      expect(await contentOf(me)).toBe(before + append)
    }
    const stale = await heddle().fail(me, 'doc.update', { path, append: 'x', if_revision: 1 })
    expect(stale.error.code).toBe('REVISION_MISMATCH')
  })

  it('keeps all of eight parallel appends', async () => {
    const { me } = await start()
    const lines = Array.from({ length: 8 }, (_, n) => `- entry ${n} of the log\n`)
    const done = await Promise.all(
      lines.map((append) => heddle().call(me, 'doc.update', { path, append })),
    )
    expect(done.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9,
    ])
    const content = await contentOf(me)
    expect(content.slice(0, KILN.length)).toBe(KILN)
    expect(
      content
        .slice(KILN.length)
        .match(/[^\n]*\n/g)
        ?.sort(),
    ).toEqual(lines)
    for (const { revision } of done) {
      const old = await heddle().call(me, 'doc.get', { path, revision })
      expect(content.startsWith(old.content)).toBe(true)
    }
  })

  it('refuses what would be larger than a document may be', async () => {
    const { me } = await start('x'.repeat(90))
    const small = makeTestHeddle(engine(), { documentBytes: 100 })
    const { error } = await small.fail(me, 'doc.update', { path, append: 'é'.repeat(6) })
    expect(error).toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
      details: { bytes: 102, max_bytes: 100 },
    })
    await small.call(me, 'doc.update', { path, append: 'é'.repeat(5) })
  })

  it('describes a document anew without a revision, and recall knows', async () => {
    const { me } = await start()
    const args = { path, title: 'The kiln', type: 'runbook', tags: ['clay'] }
    const done = await heddle().call(me, 'doc.update', args)
    expect(done).toMatchObject({ revision: 1, changed: true, chunks: { kept: 3, edited: 0 } })
    expect(await heddle().call(me, 'doc.update', args)).toMatchObject({ changed: false })
    const got = await heddle().call(me, 'doc.get', { path })
    expect(got).toMatchObject({ title: 'The kiln', type: 'runbook', tags: ['clay'], content: KILN })
    const { hits } = await heddle().call(me, 'recall', { query: 'cone', tags: ['clay'] })
    expect(hits[0]).toMatchObject({ title: 'The kiln > Kiln > Cones', type: 'runbook' })
  })

  it('keeps what was given when the text changes, and lets the rest follow the text', async () => {
    const { me } = await start('---\ntags: [a]\n---\n\n# One\n\nWords.\n')
    await heddle().call(me, 'doc.update', { path, type: 'runbook' })
    const content = '---\ntags: [b]\ntype: note\n---\n\n# Two\n\nWords.\n'
    await heddle().call(me, 'doc.update', { path, content, if_revision: 1 })
    const got = await heddle().call(me, 'doc.get', { path })
    expect(got).toMatchObject({ title: 'Two', tags: ['b'], type: 'runbook', revision: 2 })
  })

  it('answers a repeated idempotency key as before, whatever happened since', async () => {
    const { me } = await start()
    const args = { path, content: '# New\n', if_revision: 1, idempotency_key: 'k' }
    const first = await heddle().call(me, 'doc.update', args)
    await heddle().call(me, 'doc.update', { path, append: 'more\n' })
    const again = await heddle().reply(me, 'doc.update', args)
    expect(again).toMatchObject({ ok: true, result: first, notes: [{ code: 'idempotent_replay' }] })
    const other = await heddle().fail(me, 'doc.update', { ...args, content: 'other' })
    expect(other.error.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  it('says in which scope a document is that it was asked to change elsewhere', async () => {
    const me = await heddle().identity()
    const args = { path: 'wide.md', content: KILN }
    const wide = await heddle().call(me, 'doc.import', args, 'tenant')
    for (const name of [{ path: 'wide.md' }, { id: wide.source_id }]) {
      const { error } = await heddle().fail(me, 'doc.update', { ...name, append: 'x' })
      expect(error).toMatchObject({ code: 'NOT_FOUND', details: { scope: 'tenant' } })
      await heddle().call(me, 'doc.update', { ...name, append: 'x' }, 'tenant')
    }
  })

  it('recomputes one chunk when a word changes, by update as by import', async () => {
    const part = (n: number) => `## Part ${n}\n\n${`Words of part ${n}. `.repeat(20)}\n\n`
    const body = Array.from({ length: 60 }, (_, n) => part(n)).join('')
    const { me, chunks } = await start(`${body}## End\n\nThe last word is amber.\n`)
    const before = await readDocumentRows(engine(), me)
    const chunk_id = chunks.at(-1)?.chunk_id ?? ''
    const content = '## End\n\nThe last word is cobalt.'
    const done = await heddle().call(me, 'doc.update', { path, chunk_id, content, if_revision: 1 })
    expect(done.chunks).toMatchObject({ kept: 61, edited: 1, added: 0 })
    const middle = await readDocumentRows(engine(), me)
    expect(differing(before['recall_item'], middle['recall_item'])).toEqual([chunk_id])
    const again = `${body}## End\n\nThe last word is indigo.\n`
    await heddle().call(me, 'doc.import', { path, content: again })
    const after = await readDocumentRows(engine(), me)
    expect(differing(middle['recall_item'], after['recall_item'])).toEqual([chunk_id])
    expect(after['chunk']).toEqual(before['chunk'])
  })
})

describeEngines('chunks of documents', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('have the size that was given once, in later revisions too', async () => {
    const me = await heddle().identity()
    const content = `# Long\n\n${'A sentence about crates and docks.\n\n'.repeat(60)}`
    const path = 'a.md'
    const wide = await heddle().call(me, 'doc.import', { path, content })
    const narrow = await heddle().call(me, 'doc.import', { path, content, chunk_tokens: 64 })
    expect(narrow).toMatchObject({ revision: 2, changed: true })
    expect(narrow.chunks.total).toBeGreaterThan(wide.chunks.total * 3)
    const same = await heddle().call(me, 'doc.import', { path, content })
    expect(same).toMatchObject({ revision: 2, changed: false })
    const longer = await heddle().call(me, 'doc.update', { path, append: 'End.\n' })
    expect(longer.chunks.total).toBeGreaterThanOrEqual(narrow.chunks.total)
    const { chunks } = await heddle().call(me, 'doc.outline', { path })
    const leaves = chunks.filter(({ level }) => level === undefined)
    expect(Math.max(...leaves.map(({ tokens }) => tokens))).toBeLessThanOrEqual(64)
  })

  it('keep tags and fields of a directive, and an unknown one is noted', async () => {
    const me = await heddle().identity()
    const content =
      '# A\n\n:::warning{#hot .safety owner=ines}\nThe kiln is hot.\n:::\n\n:::sparkle\nGlitter.\n:::\n'
    const reply = await heddle().reply(me, 'doc.import', { path: 'a.md', content })
    expect(reply).toMatchObject({ ok: true, notes: [{ code: 'directive_unknown' }] })
    const rows = await readDocumentRows(engine(), me)
    const chunks = (rows['chunk_revision'] ?? []).map((row) => JSON.parse(row) as ChunkRow)
    expect(chunks.find(({ type }) => type === 'warning')).toMatchObject({ tags: ['safety'] })
  })

  it('say of which ones they came when they are split or merged', async () => {
    const me = await heddle().identity()
    const path = 'a.md'
    const sentence = (n: number) => `Crate ${n} stands in dock ${n} beside hall ${n * 7}. `
    const long = Array.from({ length: 12 }, (_, n) => sentence(n)).join('')
    const more = Array.from({ length: 60 }, (_, n) => sentence(n + 12)).join('')
    await heddle().call(me, 'doc.import', { path, content: `# A\n\n${long}\n` })
    const split = `# A\n\n${long.slice(0, 300)}\n\n${more}\n\n${long.slice(300)}\n`
    await heddle().call(me, 'doc.import', { path, content: split })
    const rows = await readDocumentRows(engine(), me)
    const lineage = (rows['chunk_lineage'] ?? []).map((row) => JSON.parse(row) as LineageRow)
    expect(lineage.every(({ revision }) => revision === 2)).toBe(true)
    expect(lineage.map(({ change }) => change)).toContain('split')
  })
})

interface ChunkRow {
  readonly type: string
  readonly tags: readonly string[]
}

interface LineageRow {
  readonly revision: number
  readonly change: string
}

/** Ids of items whose rows are not the same. */
function differing(before: readonly string[] = [], after: readonly string[] = []): string[] {
  return after
    .filter((row) => !before.includes(row))
    .map((row) => (JSON.parse(row) as { record_id: string }).record_id)
}
