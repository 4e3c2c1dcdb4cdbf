import { expect, it } from 'vitest'

import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'

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
})
