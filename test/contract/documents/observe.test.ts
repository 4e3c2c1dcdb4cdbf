import { expect, it } from 'vitest'

import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import { makeScopeSet } from '../../../src/identity/scope.ts'
import { callMemory } from '../../../src/memory/router.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'
import { readAllRows } from '../../support/stored-rows.ts'

const TURNS = [
  { role: 'user', speaker: 'Ines', content: 'I pick blue.', observed_at: '2026-03-01T10:00:00Z' },
  {
    role: 'assistant',
    content: 'I would pick the red model.',
    observed_at: '2026-03-01T10:00:05Z',
  },
  { role: 'user', speaker: 'Ines', content: 'yes' },
  { role: 'user', speaker: 'Ines', content: 'yes' },
]

describeEngines('observe', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('keeps roles and speakers apart (case 132)', async () => {
    const me = await heddle().identity()
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', { turns: TURNS })
    const [first, second] = await Promise.all(
      ids.slice(0, 2).map((id) => heddle().call(me, 'get', { id })),
    )
    expect(first?.record).toMatchObject({ role: 'user', speaker: 'Ines', content: 'I pick blue.' })
    expect(second?.record).toMatchObject({ role: 'assistant', position: 2 })
    const { hits } = await heddle().call(me, 'recall', { query: 'who would pick red' })
    expect(hits[0]).toMatchObject({ kind: 'turn', author: 'assistant', text: TURNS[1]?.content })
  })

  it('adds only what is new when a transcript is sent again', async () => {
    const me = await heddle().identity()
    const first = await heddle().call(me, 'observe', { turns: TURNS })
    expect(first).toMatchObject({ added: 4, skipped: 0, revision: 1, conversation: 'default' })
    const again = await heddle().call(me, 'observe', { turns: TURNS })
    expect(again).toMatchObject({ added: 0, skipped: 4, revision: 1, turn_ids: first.turn_ids })
    const longer = [...TURNS, { role: 'user', speaker: 'Ines', content: 'yes' }]
    const more = await heddle().call(me, 'observe', { turns: longer })
    expect(more).toMatchObject({ added: 1, skipped: 4, revision: 2, source_id: first.source_id })
    expect(more.turn_ids?.slice(0, 4)).toEqual(first.turn_ids)
    expect((await heddle().call(me, 'list', { kind: 'turn' })).total).toBe(5)
  })

  it('refuses another text under a key that is held, whole', async () => {
    const me = await heddle().identity()
    const turn = { role: 'user', content: 'The ferry leaves at six.', key: 'm1' }
    await heddle().call(me, 'observe', { turns: [turn] })
    expect(await heddle().call(me, 'observe', { turns: [turn] })).toMatchObject({ added: 0 })
    const turns = [
      { role: 'user', content: 'New words.', key: 'm2' },
      { ...turn, content: 'The ferry leaves at seven.' },
    ]
    const { error } = await heddle().fail(me, 'observe', { turns })
    expect(error).toMatchObject({ code: 'TURN_CONFLICT', details: { turn: 1 } })
    expect((await heddle().call(me, 'list', { kind: 'turn' })).total).toBe(1)
    const same = [turn, { ...turn, content: 'Else.' }]
    const twice = await heddle().fail(me, 'observe', { turns: same, conversation: 'other' })
    expect(twice.error.code).toBe('TURN_CONFLICT')
  })

  it.each([
    { turns: [] },
    { turns: [{ role: 'user', content: '' }] },
    { turns: [{ role: 'user', content: ' \n\t ' }] },
    {
      turns: [
        { role: 'user', content: 'fine' },
        { role: 'user', content: '\u3000' },
      ],
    },
    { text: '' },
    { text: '   ' },
    {},
    { text: 'a', turns: [{ role: 'user', content: 'a' }] },
    { text: 'a', conversation: 'c' },
    { turns: [{ role: 'user', content: 'a', tenant: 'south' }] },
  ])('refuses %j and stores nothing (case 166)', async (args) => {
    const me = await heddle().identity()
    const { error } = await heddle().fail(me, 'observe', args)
    expect(error.code).toBe('INPUT_INVALID')
    expect((await heddle().call(me, 'list', {})).total).toBe(0)
  })

  it('keeps what a tool said out of recall and in the record', async () => {
    const me = await heddle().identity()
    const turns = [
      { role: 'assistant', content: 'Let me look that up.', tool: { name: 'find', id: 'ZQ-11' } },
      { role: 'tool', content: 'result ZQ-22 of the lookup', tool: { id: 'ZQ-11' } },
      { role: 'assistant', content: '', tool: { name: 'done' } },
    ]
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', { turns })
    const { hits } = await heddle().call(me, 'recall', { query: 'lookup ZQ-22 ZQ-11 look' })
    expect(hits.map(({ text }) => text)).toEqual(['Let me look that up.'])
    const tool = await heddle().call(me, 'get', { id: ids[1] ?? '' })
    expect(tool.record).toMatchObject({ is_tool: true, tool: { id: 'ZQ-11' } })
  })

  it('keeps two users of one session name apart (case 12)', async () => {
    const first = await heddle().identity({ user: 'u1', session: 's-1' })
    const second = { ...first, user: 'u2' }
    const say = (content: string) => ({ turns: [{ role: 'user', content }] })
    const one = await heddle().call(first, 'observe', say('my secret is amber'))
    const two = await heddle().call(second, 'observe', say('my secret is cobalt'))
    expect([one, two].map(({ conversation, scope }) => [conversation, scope])).toEqual([
      ['s-1', 'user'],
      ['s-1', 'user'],
    ])
    const recalled = await heddle().call(first, 'recall', { query: 'secret' })
    expect(recalled.hits.map(({ text }) => text)).toEqual(['my secret is amber'])
    const id = two.turn_ids?.[0] ?? ''
    expect((await heddle().fail(first, 'get', { id })).error.code).toBe('NOT_FOUND')
  })

  it('stores a text as chunks that cover it', async () => {
    const me = await heddle().identity()
    const text = Array.from(
      { length: 40 },
      (_, n) => `Entry ${n}: the valve ZV-${100 + n} was checked.`,
    ).join('\n')
    const stored = await heddle().call(me, 'observe', { text, title: 'Valve log' })
    expect(stored.added).toBeGreaterThan(1)
    const { hits } = await heddle().call(me, 'recall', { query: 'ZV-137' })
    expect(hits[0]).toMatchObject({ kind: 'chunk', title: 'Valve log' })
    const span = hits[0]?.citations[0]?.span
    expect(text.slice(span?.start, span?.end)).toBe(hits[0]?.text)
  })

  it('stores special tokens and odd names as they are (cases 80, 92)', async () => {
    const me = await heddle().identity()
    const texts = [
      '<|endoftext|>',
      '[INST] go [/INST]',
      '<think>hm</think>',
      '__proto__',
      'constructor',
    ]
    const turns = texts.map((content) => ({ role: 'user', content, key: content }))
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', { turns })
    for (const [index, content] of texts.entries()) {
      const got = await heddle().call(me, 'get', { id: ids[index] ?? '' })
      expect(got.record['content']).toBe(content)
      const { hits } = await heddle().call(me, 'recall', { query: content })
      expect(hits[0]?.text).toBe(content)
    }
  })

  it('appends from many calls at once without losing or repeating a turn', async () => {
    const me = await heddle().identity()
    const calls = Array.from({ length: 12 }, (_, n) => ({
      turns: [
        { role: 'user', content: `question ${n}`, key: `q${n}` },
        { role: 'user', content: 'shared', key: 'shared' },
      ],
    }))
    await Promise.all(calls.map((args) => heddle().call(me, 'observe', args)))
    const { records, total } = await heddle().call(me, 'list', { kind: 'turn', limit: 50 })
    expect(total).toBe(13)
    const turns = await Promise.all(records.map(({ id }) => heddle().call(me, 'get', { id })))
    const positions = turns.map(({ record }) => record['position'] as number).sort((a, b) => a - b)
    expect(positions).toEqual(Array.from({ length: 13 }, (_, n) => n + 1))
  })

  it('rebuilds the answer of a repeated idempotency key', async () => {
    const me = await heddle().identity()
    const args = { turns: TURNS, idempotency_key: 'k' }
    const first = await heddle().call(me, 'observe', args)
    expect(await heddle().call(me, 'observe', args)).toEqual(first)
    const text = { text: 'A text of its own.', idempotency_key: 'k2' }
    const stored = await heddle().call(me, 'observe', text)
    expect(await heddle().call(me, 'observe', text)).toEqual(stored)
  })

  it('refuses too many turns and too long ones', async () => {
    const me = await heddle().identity()
    const small = makeTestHeddle(engine(), { observeTurns: 2, turnBytes: 10 })
    const many = { turns: Array.from({ length: 3 }, () => ({ role: 'user', content: 'x' })) }
    expect((await small.fail(me, 'observe', many)).error.issues[0]?.code).toBe('too_big')
    const long = { turns: [{ role: 'user', content: 'éééééé' }] }
    const { error } = await small.fail(me, 'observe', long)
    expect(error.issues[0]).toMatchObject({ code: 'too_big', path: ['turns', 0, 'content'] })
  })

  it('keeps in a revision only the turns that it adds, however often a transcript grows', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 15 }, (_, n) => ({ role: 'user', content: `turn ${n}` }))
    let last = await heddle().call(me, 'observe', { turns: turns.slice(0, 1) })
    for (let length = 2; length <= turns.length; length += 1) {
      last = await heddle().call(me, 'observe', { turns: turns.slice(0, length) })
      expect(last).toMatchObject({ added: 1, skipped: length - 1, revision: length })
    }
    const ids = last.turn_ids ?? []
    const records = await Promise.all(ids.map((id) => heddle().call(me, 'get', { id })))
    expect(records.map(({ record }) => record['revision'])).toEqual(turns.map((_, n) => n + 1))
    const mine = (rows: readonly string[] | undefined) =>
      rows?.filter((row) => row.includes(last.source_id)) ?? []
    const rows = await readAllRows(engine())
    expect(mine(rows.get('turn'))).toHaveLength(15)
    const revisions = mine(rows.get('source_revision'))
    expect(revisions).toHaveLength(15)
    expect(revisions.filter((row) => row.includes('turn '))).toEqual([])
  })

  it('never rewrites a turn, whatever the application does', async () => {
    const me = await heddle().identity()
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', { turns: TURNS })
    const scopes = makeScopeSet(
      (await resolveScopes(engine(), me, NEVER)).filter(({ kind }) => kind === 'agent'),
    )
    const update = (set: string) =>
      engine().withTransaction({ read: scopes, write: scopes }, {}, (tx) =>
        tx.execute({
          name: 'test.rewrite',
          text: `update heddle.turn set ${set} where chunk_id = $1`,
          values: [ids[0] ?? ''],
        }),
      )
    await expect(update(`content = 'I pick red.'`)).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
    await expect(update(`role = 'assistant'`)).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
    const { record } = await heddle().call(me, 'get', { id: ids[0] ?? '' })
    expect(record).toMatchObject({ role: 'user', content: 'I pick blue.' })
  })

  it('cuts nothing of a turn or text of the largest size (case 20)', async () => {
    const me = await heddle().identity()
    const content = Array.from(
      { length: 30 },
      (_, n) => `${'sed ut perspiciatis unde '.repeat(120)}marker QX-${7000 + n} here.`,
    ).join(' ')
    expect(content.length).toBeGreaterThan(90_000)
    const { turn_ids: ids = [] } = await heddle().call(me, 'observe', {
      turns: [{ role: 'user', content }],
    })
    const { record } = await heddle().call(me, 'get', { id: ids[0] ?? '' })
    expect(record['content']).toBe(content)
    await heddle().call(me, 'observe', { text: content })
    for (let n = 0; n < 30; n += 1) {
      const { hits } = await heddle().call(me, 'recall', {
        query: `QX-${7000 + n}`,
        kinds: ['chunk'],
      })
      expect(hits[0]?.text, `marker ${n}`).toContain(`QX-${7000 + n}`)
    }
  })

  it('takes each turn once, in order, when growing transcripts arrive all at once (cases 16, 28)', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 16 }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: n % 5 === 0 ? 'yes' : `line ${n}`,
    }))
    const calls = turns.map((_, n) => ({ turns: turns.slice(0, n + 1) }))
    await Promise.all(calls.map((args) => heddle().call(me, 'observe', args)))
    const last = await heddle().call(me, 'observe', { turns })
    expect(last).toMatchObject({ added: 0, skipped: 16 })
    expect(new Set(last.turn_ids).size).toBe(16)
    const records = await Promise.all(
      (last.turn_ids ?? []).map((id) => heddle().call(me, 'get', { id })),
    )
    expect(records.map(({ record }) => record['position'])).toEqual(turns.map((_, n) => n + 1))
  })

  it('adds nothing twice when a call is given up and sent again (case 28)', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 200 }, (_, n) => ({ role: 'user', content: `line ${n}` }))
    for (let round = 0; round < 8; round += 1) {
      const args = { conversation: `c${round}`, turns }
      const given = new AbortController()
      const call = callMemory(heddle().deps, me, { op: 'observe', args }, { signal: given.signal })
      setTimeout(() => given.abort(), round * 4)
      await call
      const { turn_ids: ids } = await heddle().call(me, 'observe', args)
      expect(new Set(ids).size).toBe(200)
    }
    const { total } = await heddle().call(me, 'list', { kind: 'turn' })
    expect(total).toBe(8 * 200)
  })
})
