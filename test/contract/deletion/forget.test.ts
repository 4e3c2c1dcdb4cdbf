import { randomUUID } from 'node:crypto'

import { expect, it } from 'vitest'

import { SOURCE_TABLES } from '../../../src/evidence/sql/erase-source.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'
import { findTraces, readAllRows } from '../../support/stored-rows.ts'

describeEngines('forget', (engine) => {
  const heddle = () => makeTestHeddle(engine())
  const mark = () => `MARK${randomUUID().replaceAll('-', '')}`
  const forget = (me: Identity, ...ids: readonly (string | undefined)[]) =>
    heddle().call(me, 'forget', { ids: ids.map((id) => id ?? '') })
  const codeOf = async (me: Identity, op: string, args: unknown) =>
    (await heddle().fail(me, op, args)).error.code

  it('leaves nothing of a document anywhere, in no table and in no form', async () => {
    const me = await heddle().identity()
    const [word, path, tag, field] = [mark(), mark(), mark(), mark()]
    const quote = `The ${word} stands here.`
    const content = [
      '---',
      `tags: [${tag}]`,
      `owner: ${field}`,
      '---',
      `# Title ${word}`,
      '',
      quote,
      '',
      `## Heading ${word}`,
      '',
      `See [[${word}]] and [words ${word}](other-${word}.md).`,
      '',
    ].join('\n')
    const args = { path: `${path}.md`, content, title: `Named ${word}`, idempotency_key: 'k' }
    const { source_id: id } = await heddle().call(me, 'doc.import', args)
    await heddle().call(me, 'doc.import', {
      ...args,
      content: `${content}More ${word}.\n`,
      idempotency_key: 'k2',
    })
    const cited = await heddle().call(me, 'evidence.add', {
      source_id: id,
      revision: 1,
      quote,
      locator: { url: `https://example.com/${word}` },
    })
    const texts = [word, path, tag, field, quote, content]
    expect((await findTraces(engine(), texts)).length).toBeGreaterThan(8)

    const receipt = await forget(me, id)
    expect(receipt).toMatchObject({ state: 'erased', forgotten: [id], scope: 'agent' })
    expect(receipt.counts).toMatchObject({ source: 1, source_revision: 2, evidence: 1 })
    expect(receipt.counts['recall_item']).toBeGreaterThan(0)
    expect(receipt.records).toBeGreaterThan(3)
    expect(await findTraces(engine(), texts)).toEqual([])

    expect(await codeOf(me, 'get', { id })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'get', { id, include_deleted: true })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'forget', { ids: [id] })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'doc.history', { id })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'doc.import', args)).toBe('IDEMPOTENCY_RESULT_GONE')
    const { record } = await heddle().call(me, 'get', { id: cited.evidence_id })
    expect(record).toMatchObject({ source_id: id, source_state: 'forgotten' })
    expect(record['keyed_hash']).not.toBe(cited.hash)
    expect(record).not.toHaveProperty('locator')
    const shown = await heddle().call(me, 'get', { id: receipt.receipt_id })
    expect(shown).toMatchObject({ kind: 'receipt', scope: 'agent' })
    expect(shown.record).toMatchObject({ state: 'erased', counts: receipt.counts })
  })

  it('looks into every table that holds something of a source', async () => {
    const rows = await engine().withOwner({}, (tx) =>
      tx.query({
        name: 'test.tables_of_sources',
        text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'source_id'
          where n.nspname = 'heddle' and c.relkind = 'r' order by 1`,
        values: [],
      }),
    )
    // What evidence keeps of a source is emptied and not deleted: it may lie in another scope.
    expect(rows.map(({ name }) => name)).toEqual([...SOURCE_TABLES, 'evidence'].sort())
  })

  it('empties a turn for good: a transcript that is sent again does not bring it back', async () => {
    const me = await heddle().identity()
    const word = mark()
    const turns = [
      { role: 'user', speaker: `S${word}`, content: 'Good morning.' },
      { role: 'user', speaker: `S${word}`, content: `My code is ${word}.`, tool: { secret: word } },
      { role: 'user', content: `Keyed ${word}`, key: `id-${word}` },
      { role: 'assistant', content: 'Noted.' },
    ]
    const first = await heddle().call(me, 'observe', { turns, idempotency_key: 'k' })
    const [hello, secret, keyed] = first.turn_ids ?? []
    const quote = `My code is ${word}.`
    await heddle().call(me, 'evidence.add', { chunk_id: secret, quote })
    await forget(me, hello, secret, keyed)
    const texts = [word, quote, `Keyed ${word}`, `own:id-${word}`]
    expect(await findTraces(engine(), texts)).toEqual([])
    expect(await codeOf(me, 'get', { id: secret })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'forget', { ids: [secret] })).toBe('NOT_FOUND')
    expect(await codeOf(me, 'observe', { turns, idempotency_key: 'k' })).toBe(
      'IDEMPOTENCY_RESULT_GONE',
    )

    const reply = await heddle().reply(me, 'observe', {
      turns: [...turns, { role: 'user', content: 'Something new.' }],
    })
    expect(reply).toMatchObject({
      ok: true,
      result: { added: 1, skipped: 4, source_id: first.source_id },
      notes: [{ code: 'turns_forgotten' }],
    })
    expect(await findTraces(engine(), texts)).toEqual([])
    expect((await heddle().call(me, 'list', { kind: 'turn' })).total).toBe(2)
    expect((await heddle().call(me, 'recall', { query: `${word} code` })).hits).toEqual([])

    // Nor when the conversation was deleted in between, and the transcript makes a new one.
    await heddle().call(me, 'doc.delete', { id: first.source_id })
    const anew = await heddle().call(me, 'observe', { turns })
    expect(anew).toMatchObject({ added: 1, skipped: 3 })
    expect(anew.source_id).not.toBe(first.source_id)
    expect(await findTraces(engine(), texts)).toEqual([])
  })

  it('erases an entry with its history; its key goes on above the old revisions', async () => {
    const me = await heddle().identity()
    const word = mark()
    const key = `notes/${word}`
    const set = (value: string | Record<string, number>) =>
      heddle().call(me, 'kv.set', { key, value })
    await set(word)
    await heddle().call(me, 'kv.set', { key, value: [word], idempotency_key: 'k' })
    const { entry_id: id } = await set({ [word]: 1 })
    const receipt = await forget(me, id)
    expect(receipt.counts).toMatchObject({ kv_entry: 1, kv_history: 3 })
    expect(await findTraces(engine(), [word])).toEqual([])
    expect(await codeOf(me, 'kv.set', { key, value: [word], idempotency_key: 'k' })).toBe(
      'IDEMPOTENCY_RESULT_GONE',
    )
    const again = await set('fresh')
    expect(again.revision).toBe(4)
    expect(again.entry_id).not.toBe(id)
    const stale = { key, value: 'x', if_revision: 3 }
    expect(await codeOf(me, 'kv.set', stale)).toBe('REVISION_MISMATCH')
  })

  it('erases what was deleted before: a source and an entry', async () => {
    const me = await heddle().identity()
    const word = mark()
    const { source_id: id } = await heddle().call(me, 'doc.import', {
      path: `${word}.md`,
      content: `# ${word}\n`,
    })
    await heddle().call(me, 'doc.delete', { id })
    const { entry_id } = await heddle().call(me, 'kv.set', { key: word, value: word })
    await heddle().call(me, 'kv.delete', { key: word })
    await forget(me, id, entry_id)
    expect(await findTraces(engine(), [word])).toEqual([])
    expect(await codeOf(me, 'get', { id, include_deleted: true })).toBe('NOT_FOUND')
  })

  it('removes one piece of evidence and leaves its source', async () => {
    const me = await heddle().identity()
    const { source_id } = await heddle().call(me, 'observe', { text: 'The heron waits.' })
    const { evidence_id: id } = await heddle().call(me, 'evidence.add', {
      source_id,
      quote: 'heron',
    })
    expect((await forget(me, id)).counts).toEqual({ evidence: 1 })
    expect(await codeOf(me, 'get', { id })).toBe('NOT_FOUND')
    expect((await heddle().call(me, 'get', { id: source_id })).kind).toBe('source')
  })

  it('does all or nothing: a chunk, an unknown id and a foreign one are named', async () => {
    const me = await heddle().identity({ user: 'u1' })
    const other = { ...me, user: 'u2' }
    const mine = await heddle().call(me, 'observe', { text: 'The heron waits.' })
    const theirs = await heddle().call(other, 'observe', { text: 'Not yours.' })
    const unknown = randomUUID()
    const ids = [mine.source_id, theirs.source_id, unknown]
    const { error } = await heddle().fail(me, 'forget', { ids })
    expect(error.code).toBe('NOT_FOUND')
    expect([...(error.details['ids'] as string[])].sort()).toEqual(
      [theirs.source_id, unknown].sort(),
    )
    expect((await heddle().call(me, 'get', { id: mine.source_id })).kind).toBe('source')
    const { records } = await heddle().call(me, 'list', { kind: 'chunk' })
    const chunk = await heddle().fail(me, 'forget', { ids: [records[0]?.id, mine.source_id] })
    expect(chunk.error).toMatchObject({
      code: 'NOT_FORGETTABLE',
      details: { source_id: mine.source_id },
    })
    expect(await codeOf(me, 'forget', { ids: [] })).toBe('INPUT_INVALID')
    const many = Array.from({ length: 101 }, () => randomUUID())
    expect(await codeOf(me, 'forget', { ids: many })).toBe('INPUT_INVALID')
  })

  it('takes a turn and its conversation in one call, and rebuilds its answer', async () => {
    const me = await heddle().identity()
    const turns = [{ role: 'user', content: 'One thing.' }]
    const { source_id, turn_ids = [] } = await heddle().call(me, 'observe', { turns })
    const args = { ids: [source_id, ...turn_ids], idempotency_key: 'k' }
    const first = await heddle().call(me, 'forget', args)
    expect([...first.forgotten].sort()).toEqual([...args.ids].sort())
    expect(await heddle().call(me, 'forget', args)).toEqual(first)
    expect((await heddle().call(me, 'list', {})).total).toBe(0)
  })

  it('empties evidence that cites it in scopes that the eraser cannot reach', async () => {
    const admin = await heddle().identity({ grants: ['tenant:read', 'tenant:write'] })
    const reader: Identity = { ...admin, user: 'u9', grants: ['tenant:read'] }
    const word = mark()
    const stored = await heddle().call(admin, 'observe', { text: `Cited ${word} once.` }, 'tenant')
    const args = { source_id: stored.source_id, quote: `Cited ${word}` }
    const cited = await heddle().call(reader, 'evidence.add', args)
    expect(cited.scope).toBe('user')
    const ids = [stored.source_id]
    expect((await heddle().fail(reader, 'forget', { ids }, 'tenant')).error.code).toBe(
      'SCOPE_NOT_GRANTED',
    )
    await heddle().call(admin, 'forget', { ids }, 'tenant')
    const { record } = await heddle().call(reader, 'get', { id: cited.evidence_id })
    expect(record).toMatchObject({ source_state: 'forgotten' })
    expect(await findTraces(engine(), [word, `Cited ${word}`])).toEqual([])
  })

  it('leaves a scope with nothing but receipts when everything in it was forgotten (cases 126, 128)', async () => {
    const me = await heddle().identity({ user: 'u1' })
    await heddle().call(me, 'doc.import', { path: 'a.md', content: '# A\n\nText [[b]].\n' })
    await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'Hello there.' }] })
    await heddle().call(me, 'kv.set', { key: 'k', value: 1 })
    const { records } = await heddle().call(me, 'list', {})
    const ids = records.filter(({ kind }) => kind === 'source' || kind === 'kv').map(({ id }) => id)
    await heddle().call(me, 'forget', { ids })
    const scopeRow = (await readAllRows(engine()))
      .get('scope')
      ?.find((row) => row.includes(',user,u1,') && row.includes(me.tenantId))
    const scopeId = scopeRow?.split(',')[1] ?? 'none'
    const left = [...(await readAllRows(engine()))]
      .filter(([, rows]) => rows.some((row) => row.includes(scopeId)))
      .map(([table]) => table)
    expect(left).toEqual(['forget_receipt', 'kv_usage', 'scope'])
  })
})
