import { expect, it } from 'vitest'

import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'
import { readAllRows } from '../../support/stored-rows.ts'

const PATH = 'guides/kiln.md'
const TEXT =
  '# Kiln\n\nThe QUILLMARK firing. See [[clay]].\n\n## Cooling\n\nOver night, ZEPHYRMARK.\n'

describeEngines('doc.delete', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('takes a document with chunks, items and names out of retrieval, and keeps who and when', async () => {
    const me = await heddle().identity({ user: 'u1', session: 's' })
    const { source_id: id } = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    const { chunks } = await heddle().call(me, 'doc.outline', { path: PATH })
    const deleter = { ...me, agent: 'a2' }
    const deleted = await heddle().call(deleter, 'doc.delete', { path: PATH })
    expect(deleted).toMatchObject({ source_id: id, path: PATH, scope: 'user', revision: 1 })

    const { hits } = await heddle().call(me, 'recall', { query: 'QUILLMARK ZEPHYRMARK Kiln' })
    expect(hits).toEqual([])
    expect((await heddle().call(me, 'list', {})).total).toBe(0)
    for (const gone of [id, ...chunks.map(({ chunk_id }) => chunk_id)]) {
      expect((await heddle().fail(me, 'get', { id: gone })).error.code).toBe('NOT_FOUND')
    }
    for (const [op, args] of [
      ['doc.get', { path: PATH }],
      ['doc.outline', { id }],
      ['doc.delete', { path: PATH }],
      ['doc.delete', { id }],
    ] as const) {
      expect((await heddle().fail(me, op, args)).error.code, op).toBe('NOT_FOUND')
    }
    const { record } = await heddle().call(me, 'get', { id, include_deleted: true })
    expect(record).toMatchObject({
      kind: 'document',
      path: PATH,
      revision: 1,
      deleted_at: deleted.deleted_at,
      deleted_by: 'a2',
      provenance: { agent: 'a2', user: 'u1', session: 's' },
    })
    expect(JSON.stringify(record)).not.toContain('QUILLMARK')
    const rows = await readAllRows(engine())
    for (const table of ['recall_item', 'link', 'source_name']) {
      expect(
        rows.get(table)?.filter((row) => row.includes(id)),
        table,
      ).toEqual([])
    }
  })

  it('frees the path for another document', async () => {
    const me = await heddle().identity()
    const first = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    await heddle().call(me, 'doc.delete', { id: first.source_id })
    const second = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    expect(second).toMatchObject({ revision: 1, changed: true })
    expect(second.source_id).not.toBe(first.source_id)
    const { hits } = await heddle().call(me, 'recall', { query: 'ZEPHYRMARK' })
    expect(hits.map(({ citations }) => citations[0]?.source_id)).toEqual([second.source_id])
  })

  it('deletes a section with all in it as a new revision', async () => {
    const me = await heddle().identity()
    const { source_id: id } = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    const { chunks } = await heddle().call(me, 'doc.outline', { id })
    const cooling = chunks.find(({ title }) => title === 'Cooling')?.chunk_id ?? ''
    const missing = await heddle().fail(me, 'doc.delete', { id, chunk_id: cooling })
    expect(missing.error.issues[0]?.path).toEqual(['if_revision'])
    const stale = await heddle().fail(me, 'doc.delete', { id, chunk_id: cooling, if_revision: 2 })
    expect(stale.error).toMatchObject({ code: 'REVISION_MISMATCH', retry: 'reread' })
    const args = { id, chunk_id: cooling, if_revision: 1, idempotency_key: 'k' }
    const cut = await heddle().call(me, 'doc.delete', args)
    expect(cut).toMatchObject({ source_id: id, revision: 2, chunks: { removed: 1 } })
    expect(cut.deleted_at).toBeUndefined()
    expect(await heddle().call(me, 'doc.delete', args)).toEqual(cut)
    const { content } = await heddle().call(me, 'doc.get', { id })
    expect(content).toContain('QUILLMARK')
    expect(content).not.toContain('ZEPHYRMARK')
    expect((await heddle().call(me, 'recall', { query: 'ZEPHYRMARK' })).hits).toEqual([])
    expect((await heddle().call(me, 'doc.get', { id, revision: 1 })).content).toBe(TEXT)
  })

  it('deletes conversations and texts by their ids', async () => {
    const me = await heddle().identity()
    const said = await heddle().call(me, 'observe', {
      turns: [{ role: 'user', content: 'FERNMARK' }],
    })
    const text = await heddle().call(me, 'observe', { text: 'A FERNMARK text.' })
    for (const { source_id: id } of [said, text]) await heddle().call(me, 'doc.delete', { id })
    expect((await heddle().call(me, 'recall', { query: 'FERNMARK' })).hits).toEqual([])
    expect((await heddle().call(me, 'list', {})).total).toBe(0)
    const turn = { id: said.turn_ids?.[0] ?? '' }
    expect((await heddle().fail(me, 'get', turn)).error.code).toBe('NOT_FOUND')
    // The name is free: what is said next begins a conversation of its own.
    const next = await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'hello' }] })
    expect(next).toMatchObject({ revision: 1, conversation: said.conversation })
    expect(next.source_id).not.toBe(said.source_id)
  })

  it('minds if_revision, rebuilds its answer, and reaches no other scope', async () => {
    const me = await heddle().identity({ user: 'u1', grants: ['tenant:read'] })
    const { source_id: id } = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    const stale = await heddle().fail(me, 'doc.delete', { id, if_revision: 2 })
    expect(stale.error).toMatchObject({ code: 'REVISION_MISMATCH', details: { actual: 1 } })
    expect((await heddle().call(me, 'recall', { query: 'ZEPHYRMARK' })).hits).toHaveLength(1)
    const other = { ...me, user: 'u2' }
    expect((await heddle().fail(other, 'doc.delete', { id })).error.code).toBe('NOT_FOUND')
    const args = { id, if_revision: 1, idempotency_key: 'k' }
    const first = await heddle().call(me, 'doc.delete', args)
    expect(await heddle().call(me, 'doc.delete', args)).toEqual(first)
  })

  it('hides the quote of evidence whose source is deleted', async () => {
    const me = await heddle().identity()
    const { source_id: id } = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    const cited = await heddle().call(me, 'evidence.add', { source_id: id, quote: 'QUILLMARK' })
    const { deleted_at } = await heddle().call(me, 'doc.delete', { id })
    const { record } = await heddle().call(me, 'get', { id: cited.evidence_id })
    expect(record).toMatchObject({ source_id: id, source_state: 'deleted', deleted_at })
    expect(record).not.toHaveProperty('quote')
    expect(record).not.toHaveProperty('quote_hash')
    const again = await heddle().fail(me, 'evidence.add', { source_id: id, quote: 'QUILLMARK' })
    expect(again.error.code).toBe('NOT_FOUND')
  })

  it('leaves the other two of five to be found (case 120)', async () => {
    const me = await heddle().identity()
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const content = `# N${n}\n\n${'heron '.repeat(5 - n)}at the pond ${n}.\n`
      ids.push((await heddle().call(me, 'doc.import', { path: `n${n}.md`, content })).source_id)
    }
    for (const id of ids.slice(0, 3)) await heddle().call(me, 'doc.delete', { id })
    const { hits } = await heddle().call(me, 'recall', { query: 'heron', top_k: 2 })
    expect(hits.map(({ citations }) => citations[0]?.source_id).sort()).toEqual(ids.slice(3).sort())
  })

  it('leaves another tenant of the same path and bytes byte-identical (cases 6, 122)', async () => {
    const [north, south] = [await heddle().identity(), await heddle().identity()]
    const mine = await heddle().call(north, 'doc.import', { path: PATH, content: TEXT })
    await heddle().call(south, 'doc.import', { path: PATH, content: TEXT })
    const rowsOf = async (tenantId: string) =>
      [...(await readAllRows(engine()))].map(([table, rows]) => [
        table,
        rows.filter((row) => row.includes(tenantId)),
      ])
    const before = await rowsOf(south.tenantId)
    await heddle().call(north, 'doc.delete', { path: PATH })
    expect(await rowsOf(south.tenantId)).toEqual(before)
    await heddle().call(north, 'forget', { ids: [mine.source_id] })
    expect(await rowsOf(south.tenantId)).toEqual(before)
  })

  it('drops the tail of a shorter version from recall; its revision still has it (case 124)', async () => {
    const me = await heddle().identity()
    const { source_id: id } = await heddle().call(me, 'doc.import', { path: PATH, content: TEXT })
    const { hits: before } = await heddle().call(me, 'recall', { query: 'ZEPHYRMARK' })
    const tail = before[0]?.citations[0]?.chunk_id ?? ''
    const content = TEXT.slice(0, TEXT.indexOf('## Cooling'))
    await heddle().call(me, 'doc.import', { path: PATH, content })
    expect((await heddle().call(me, 'recall', { query: 'ZEPHYRMARK' })).hits).toEqual([])
    const { record } = await heddle().call(me, 'get', { id: tail })
    expect(record).toMatchObject({ revision: 1, is_current: false })
    expect(record['quote']).toContain('ZEPHYRMARK')
    expect((await heddle().call(me, 'doc.get', { id, revision: 1 })).content).toBe(TEXT)
  })
})
