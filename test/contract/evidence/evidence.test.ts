import { createHash, randomUUID } from 'node:crypto'

import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

const GUIDE = `# Kiln guide

Warm the kiln for an hour before you load it.

## Firing

The “bisque” firing goes up to 1,000 °C.
Never open the door above 100 °C.

## Cooling

Let it cool over night. Never open the door above 100 °C.
`

describeEngines('evidence', (engine) => {
  const heddle = () => makeTestHeddle(engine())
  const store = async (me: Identity, content = GUIDE, scope?: string) =>
    heddle().call(me, 'doc.import', { path: 'guides/kiln.md', content }, scope)
  const read = async (me: Identity, id: string, args = {}) =>
    (await heddle().call(me, 'get', { id, ...args })).record

  it('cites a quote by its exact span, whatever its white space and marks', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const added = await heddle().call(me, 'evidence.add', {
      source_id,
      quote: 'The "bisque" firing goes up to 1,000 °C. Never open',
      stance: 'contradicts',
      confidence: 7500,
      locator: { line: 7, url: 'https://example.com/kiln', message_id: 'm-1' },
    })
    const quote = 'The “bisque” firing goes up to 1,000 °C.\nNever open'
    const start = GUIDE.indexOf(quote)
    expect(added).toMatchObject({
      matched: 'normalised',
      revision: 1,
      span: { start, end: start + quote.length },
      hash: sha256(quote),
    })
    expect(await read(me, added.evidence_id)).toMatchObject({
      source_id,
      source_state: 'live',
      path: 'guides/kiln.md',
      quote,
      quote_hash: sha256(quote),
      is_intact: true,
      stance: 'contradicts',
      confidence: 7500,
      locator: { line: 7, url: 'https://example.com/kiln', message_id: 'm-1' },
      judged_by: 'a1',
      newest: { revision: 1, status: 'same', chunk_id: added.chunk_id },
    })
    const { records } = await heddle().call(me, 'list', { kind: 'evidence' })
    expect(records.map(({ id }) => id)).toEqual([added.evidence_id])
  })

  it('refuses a quote with several places and names them; a chunk, or words around it, choose', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const quote = 'Never open the door above 100 °C.'
    const places = [GUIDE.indexOf(quote), GUIDE.lastIndexOf(quote)]
    const { error } = await heddle().fail(me, 'evidence.add', { source_id, quote })
    expect(error).toMatchObject({ code: 'QUOTE_AMBIGUOUS', details: { source_id, places: 2 } })
    const candidates = error.details['candidates'] as {
      chunk_id: string
      span: { start: number }
    }[]
    expect(candidates.map(({ span }) => span.start)).toEqual(places)
    expect(JSON.stringify(error)).not.toContain('door')
    const chosen = await heddle().call(me, 'evidence.locate', {
      chunk_id: candidates[1]?.chunk_id ?? '',
      quote,
    })
    expect(chosen).toMatchObject({ span: { start: places[1] }, matched: 'exact', quote })
    const around = await heddle().call(me, 'evidence.locate', {
      source_id,
      quote,
      after: '## Cool',
    })
    expect(around.span.start).toBe(places[0])
    expect((await heddle().call(me, 'list', { kind: 'evidence' })).total).toBe(0)
  })

  it('refuses a quote that is not there and names where to look', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const quote = 'Warm the kiln for two hours before you load it.'
    const { error } = await heddle().fail(me, 'evidence.locate', { source_id, quote })
    expect(error.code).toBe('QUOTE_NOT_FOUND')
    const [near] = error.details['candidates'] as { chunk_id: string }[]
    expect((await read(me, near?.chunk_id ?? ''))['quote']).toContain('for an hour')
    expect(JSON.stringify(error)).not.toContain('kiln')
    const other = await heddle().call(me, 'evidence.locate', { source_id, quote: 'Let it cool' })
    const elsewhere = { chunk_id: near?.chunk_id ?? '', quote: 'Let it cool' }
    const refused = await heddle().fail(me, 'evidence.locate', elsewhere)
    expect(refused.error).toMatchObject({
      code: 'QUOTE_NOT_FOUND',
      details: { candidates: [{ chunk_id: other.chunk_id, span: other.span }] },
    })
  })

  it('takes a span, and checks its hash', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const span = { start: 0, end: 12 }
    const added = await heddle().call(me, 'evidence.add', { source_id, span })
    expect(added).toMatchObject({ matched: 'span', hash: sha256('# Kiln guide') })
    await heddle().call(me, 'evidence.add', { source_id, span, hash: added.hash.toUpperCase() })
    const wrong = await heddle().fail(me, 'evidence.add', { source_id, span, hash: sha256('else') })
    expect(wrong.error).toMatchObject({ code: 'EVIDENCE_HASH_MISMATCH', retry: 'reread' })
    for (const bad of [
      { start: 5, end: 5 },
      { start: 9, end: 3 },
      { start: 0, end: 100_000 },
    ]) {
      const { error } = await heddle().fail(me, 'evidence.add', { source_id, span: bad })
      expect(error.code).toBe('SPAN_INVALID')
    }
    for (const args of [{ source_id }, { quote: 'x' }, { source_id, span, quote: 'Kiln' }]) {
      const { error } = await heddle().fail(me, 'evidence.add', args)
      expect(error.code).toBe('INPUT_INVALID')
    }
  })

  it('never cuts a character (cases 90, 92)', async () => {
    const me = await heddle().identity()
    const content = 'A 👩‍👩‍👧 family and cafe\u0301, then <|endoftext|>.\n'
    const { source_id } = await store(me, content)
    for (const span of [
      { start: 0, end: 3 },
      { start: 2, end: 4 },
      { start: 0, end: content.indexOf('\u0301') },
    ]) {
      const { error } = await heddle().fail(me, 'evidence.add', { source_id, span })
      expect(error.code).toBe('SPAN_INVALID')
    }
    const special = await heddle().call(me, 'evidence.add', { source_id, quote: '<|endoftext|>' })
    expect((await read(me, special.evidence_id))['quote']).toBe('<|endoftext|>')
    const nul = await heddle().fail(me, 'evidence.add', { source_id, quote: 'a\u0000b' })
    expect(nul.error.code).toBe('INPUT_INVALID')
  })

  it('still resolves to its old revision, and says what became of its text', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const cite = async (quote: string) =>
      (await heddle().call(me, 'evidence.add', { source_id, quote })).evidence_id
    const kept = await cite('Warm the kiln for an hour')
    const changed = await cite('The “bisque” firing goes up')
    const gone = await cite('Let it cool over night.')
    const content = `# Kiln guide

A new first sentence. Warm the kiln for an hour before you load it.

## Firing

The first firing goes up to 1,000 °C.
Never open the door above 100 °C.
`
    await store(me, content)
    const newest = async (id: string) => (await read(me, id))['newest']
    expect(await read(me, kept)).toMatchObject({ revision: 1, quote: 'Warm the kiln for an hour' })
    const start = content.indexOf('Warm the kiln')
    expect(await newest(kept)).toMatchObject({ revision: 2, status: 'same', span: { start } })
    expect(await newest(changed)).toMatchObject({ revision: 2, status: 'changed' })
    expect(await newest(gone)).toEqual({ revision: 2, status: 'gone' })
    expect(await read(me, gone)).toMatchObject({
      quote: 'Let it cool over night.',
      is_intact: true,
    })
  })

  it('says where a text went that moved to another chunk', async () => {
    const me = await heddle().identity()
    const first =
      '# A\n\nAlpha stays here all day.\n\nThe heron waits.\n\n# B\n\nBeta is another one.\n'
    const second =
      '# A\n\nAlpha stays here all day.\n\n# B\n\nBeta is another one. The heron waits.\n'
    const { source_id } = await store(me, first)
    const added = await heddle().call(me, 'evidence.add', { source_id, quote: 'The heron waits.' })
    await store(me, second)
    const { newest } = await read(me, added.evidence_id)
    expect(newest).toMatchObject({
      revision: 2,
      status: 'moved',
      span: { start: second.indexOf('The heron') },
    })
    expect((newest as { chunk_id: string }).chunk_id).not.toBe(added.chunk_id)
  })

  it('cites turns, whose spans count inside them', async () => {
    const me = await heddle().identity()
    const { turn_ids: ids = [], source_id } = await heddle().call(me, 'observe', {
      conversation: 'c',
      turns: [
        { role: 'assistant', content: 'I would pick the red model.' },
        { role: 'user', speaker: 'Ines', content: 'I pick blue.' },
      ],
    })
    const [turn = ''] = ids.slice(1)
    const added = await heddle().call(me, 'evidence.add', { chunk_id: turn, quote: 'pick blue' })
    expect(added).toMatchObject({ source_id, chunk_id: turn, span: { start: 2, end: 11 } })
    expect(await read(me, added.evidence_id)).toMatchObject({
      conversation: 'c',
      quote: 'pick blue',
      newest: { status: 'same' },
      previous_id: ids[0],
      context: { before: [{ role: 'assistant', quote: 'I would pick the red model.' }] },
    })
    const whole = await heddle().fail(me, 'evidence.add', { source_id, quote: 'pick blue' })
    expect(whole.error.issues[0]?.code).toBe('turn_required')
    const other = await heddle().fail(me, 'evidence.add', { chunk_id: ids[0], quote: 'blue' })
    expect(other.error.code).toBe('QUOTE_NOT_FOUND')
  })

  it('lies in its own scope, its source in that or a wider one, never in a narrower', async () => {
    const me = await heddle().identity({
      user: 'u1',
      grants: ['agent:write', 'tenant:read', 'tenant:write'],
    })
    const sources: Record<string, string> = {}
    for (const scope of ['user', 'agent', 'tenant']) {
      sources[scope] = (await store(me, `# In ${scope}\n\nA fine marker.\n`, scope)).source_id
    }
    const cite = (source: string, scope: string) =>
      heddle().reply(
        me,
        'evidence.add',
        { source_id: sources[source], quote: 'A fine marker.' },
        scope,
      )
    for (const [source, scope] of [
      ['user', 'user'],
      ['tenant', 'user'],
      ['agent', 'agent'],
      ['tenant', 'agent'],
      ['tenant', 'tenant'],
    ] as const) {
      expect(await cite(source, scope), `${source} in ${scope}`).toMatchObject({
        ok: true,
        result: { scope },
      })
    }
    for (const [source, scope] of [
      ['user', 'agent'],
      ['agent', 'user'],
      ['user', 'tenant'],
      ['agent', 'tenant'],
    ] as const) {
      const reply = await cite(source, scope)
      expect(reply, `${source} in ${scope}`).toMatchObject({
        ok: false,
        error: { code: 'SOURCE_TOO_NARROW', details: { source_scope: source, scope } },
      })
    }
    // Cited with the right to read alone.
    const reader: Identity = { ...me, user: 'u2', grants: ['tenant:read'] }
    const mine = await heddle().call(reader, 'evidence.add', {
      source_id: sources['tenant'] ?? '',
      quote: 'A fine marker.',
    })
    expect(mine.scope).toBe('user')
    const foreign = { source_id: sources['user'] ?? '', quote: 'A fine marker.' }
    expect((await heddle().fail(reader, 'evidence.add', foreign)).error.code).toBe('NOT_FOUND')
    const blind: Identity = { ...reader, grants: [] }
    const { source_state, ...unread } = await read(blind, mine.evidence_id)
    expect(source_state).toBe('not_readable')
    expect(Object.keys(unread)).not.toContain('quote')
  })

  it('does not tell a foreign source from one that never was', async () => {
    const me = await heddle().identity()
    const other = await heddle().identity()
    const { source_id } = await store(other)
    for (const id of [source_id, randomUUID()]) {
      for (const op of ['evidence.add', 'evidence.locate']) {
        const { error } = await heddle().fail(me, op, { source_id: id, quote: 'Let it cool' })
        expect(error).toMatchObject({ code: 'NOT_FOUND', details: { id } })
      }
    }
  })

  it('rebuilds the answer of a repeated idempotency key', async () => {
    const me = await heddle().identity()
    const { source_id } = await store(me)
    const args = { source_id, quote: 'Let it cool', idempotency_key: 'k' }
    const first = await heddle().call(me, 'evidence.add', args)
    expect(await heddle().call(me, 'evidence.add', args)).toEqual(first)
    expect((await heddle().call(me, 'list', { kind: 'evidence' })).total).toBe(1)
  })
})
