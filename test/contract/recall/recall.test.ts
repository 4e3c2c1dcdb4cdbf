import { createHash } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, type TestHeddle } from '../../support/heddle.ts'

type Recalled = Awaited<ReturnType<typeof recall>>

function recall(
  heddle: TestHeddle,
  me: Parameters<TestHeddle['reply']>[0],
  args: { query: string },
) {
  return heddle.call(me, 'recall', args)
}

const idsOf = ({ hits }: Recalled) => hits.map(({ id }) => id)

describeEngines('recall', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  it('finds what was just stored as hit 1 (case 26)', async () => {
    const me = await heddle().identity()
    const noise = Array.from(
      { length: 50 },
      (_, n) => `marker ZK-${5000 + n} belongs to the red crate`,
    )
    const turns = [...noise, 'marker ZK-4417 belongs to the blue crate'].map((content) => ({
      role: 'user',
      content,
    }))
    await heddle().call(me, 'observe', { turns })
    for (const query of ['ZK-4417', 'zk4417', 'where is ZK_4417?', 'blue crate']) {
      const { hits } = await recall(heddle(), me, { query })
      expect(hits[0]?.text, query).toBe('marker ZK-4417 belongs to the blue crate')
    }
  })

  it('cites exact spans whose text hashes to what is quoted', async () => {
    const me = await heddle().identity()
    const content =
      '# Pumps 🚰\r\n\r\nThe pump 😀 in hall 3 runs at night.\r\n\r\n## Spare\r\n\r\nNone.\r\n'
    const { source_id: sourceId } = await heddle().call(me, 'doc.import', { path: 'p.md', content })
    const { hits } = await recall(heddle(), me, { query: 'pump at night' })
    const [citation] = hits[0]?.citations ?? []
    expect(citation).toMatchObject({
      source_id: sourceId,
      revision: 1,
      path: 'p.md',
      chunk_id: hits[0]?.id,
    })
    const { start = 0, end = 0 } = citation?.span ?? {}
    expect(content.slice(start, end)).toBe(citation?.quote)
    expect(citation?.hash).toBe(
      createHash('sha256')
        .update(citation?.quote ?? '')
        .digest('hex'),
    )
    expect(citation?.quote).toBe('# Pumps 🚰\r\n\r\nThe pump 😀 in hall 3 runs at night.')
  })

  it('cites the newest revision for a chunk that an edit elsewhere moved', async () => {
    const me = await heddle().identity()
    const body = '## Kept\n\nThe kiln is lit on Fridays.\n'
    await heddle().call(me, 'doc.import', { path: 'k.md', content: body })
    const [before] = (await recall(heddle(), me, { query: 'kiln' })).hits
    const content = `Added before.\n\n${body}`
    await heddle().call(me, 'doc.import', { path: 'k.md', content })
    const [after] = (await recall(heddle(), me, { query: 'kiln' })).hits
    expect(after?.id).toBe(before?.id)
    expect(after?.citations[0]?.revision).toBe(2)
    const { start = 0, end = 0 } = after?.citations[0]?.span ?? {}
    expect(content.slice(start, end)).toBe(after?.text)
  })

  it('cites entry and revision of a key/value hit, and never an expired one', async () => {
    const me = await heddle().identity()
    const { entry_id: id } = await heddle().call(me, 'kv.set', {
      key: 'deploy/region',
      value: 'eu-west-1',
    })
    const { hits } = await recall(heddle(), me, { query: 'deploy region' })
    expect(hits[0]).toMatchObject({ id, kind: 'kv', citations: [{ entry_id: id, revision: 1 }] })
    await heddle().call(me, 'kv.set', { key: 'gone', value: 'quokka', ttl_seconds: 1 })
    expect((await recall(heddle(), me, { query: 'quokka' })).hits).toHaveLength(1)
    await expect
      .poll(async () => (await recall(heddle(), me, { query: 'quokka' })).hits.length, {
        timeout: 5000,
      })
      .toBe(0)
  })

  it('gives an account of what ran', async () => {
    const me = await heddle().identity()
    const answer = await heddle().call(me, 'recall', { query: 'nothing here' })
    expect(answer.hits).toEqual([])
    expect(answer.gaps.map(({ code }) => code)).toEqual(['nothing_found'])
    expect(answer.sources_requested).toBe(false)
    expect(answer.sources_applied).toBe(false)
    expect(answer.filters_applied).toEqual({ scopes: true })
    expect(answer.retrievers).toMatchObject([
      { name: 'lexical', ran: true, candidates: 0 },
      { name: 'vector', ran: false, candidates: 0, why_not: 'no embedding lane' },
    ])
    expect(answer.degraded.map(({ code }) => code)).toEqual(['retriever_missing'])
  })

  it.each(['', '   ', '\u3000\n'])('refuses the blank query %j', async (query) => {
    const me = await heddle().identity()
    const { error } = await heddle().fail(me, 'recall', { query })
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: ['query'] }] })
  })

  it.each(['to be or not to be', '`the of and`', 'the of and'])(
    'answers %j (case 72)',
    async (query) => {
      const me = await heddle().identity()
      const turns = [
        { role: 'user', content: 'To be or not to be, that is the question of man and fate.' },
        { role: 'user', content: 'Zinc melts at 420 degrees.' },
      ]
      await heddle().call(me, 'observe', { turns })
      const { hits } = await recall(heddle(), me, { query })
      expect(hits.map(({ text }) => text)).toEqual([turns[0]?.content])
    },
  )

  it('reaches no query language (cases 74, 78, 82)', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'plain otter words' }] })
    const marks =
      '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ / \' % $1 :name %s {0} ; -- <-> & |'.split(' ')
    const hostile = [
      "' OR 1=1 --",
      `x"; DROP TABLE facts; --`,
      "')::tsquery; select 1 --",
      '\\',
      "''",
      "a':*",
    ]
    for (const query of [...marks, ...marks.map((mark) => mark + mark), ...hostile]) {
      const { hits } = await recall(heddle(), me, { query })
      expect(hits, query).toEqual([])
    }
    for (const query of [
      'otter AND OR NOT',
      '!otter',
      'otter:*',
      "otter' | 'x",
      'otter & absent',
    ]) {
      expect((await recall(heddle(), me, { query })).hits, query).toHaveLength(1)
    }
  })

  it('says so when a query has no words', async () => {
    const me = await heddle().identity()
    const {
      gaps,
      retrievers,
      filters_applied: applied,
    } = await recall(heddle(), me, { query: '&& ||' })
    expect(gaps.map(({ code }) => code)).toContain('query_without_words')
    expect(retrievers[0]).toMatchObject({ ran: false, why_not: 'the query has no words' })
    expect(applied).toEqual({ scopes: false })
  })

  it('trims a query of thousands of words and says so (case 102)', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'word7 of many' }] })
    const query = Array.from({ length: 2000 }, (_, n) => `word${n}`).join(' ')
    const answer = await heddle().reply(me, 'recall', { query })
    expect(answer.ok && answer.notes.map(({ code }) => code)).toContain('query_trimmed')
    expect(answer.ok && (answer.result as Recalled).hits).toHaveLength(1)
  })

  it.each([
    ['東京都の新しい庁舎は新宿区にあります', '新宿 庁舎'],
    ['ประเทศไทยมีภาษาไทยเป็นภาษาราชการ', 'ภาษาไทย'],
    ['Грузовик уехал на север', 'грузовик'],
    ['الشاحنة في الميناء', 'الميناء'],
    ['Die Straße ist gesperrt', 'STRASSE'],
    ['Le café ferme tard', 'cafe'],
    ['ﬁrmware ①', 'firmware'],
    ['凭证为sk_test_AAAA1111BBBB2222', 'sk_test_AAAA1111BBBB2222'],
    ['she was running the engines', 'run engine'],
    ['call getUserName in parser.ts', 'user name'],
  ])('finds %j by %j', async (content, query) => {
    const me = await heddle().identity()
    const turns = [
      { role: 'user', content },
      { role: 'user', content: 'unrelated zinc' },
    ]
    await heddle().call(me, 'observe', { turns })
    const { hits } = await recall(heddle(), me, { query })
    expect(hits.map(({ text }) => text)).toEqual([content])
  })

  it('gives the beginning of the same list for a smaller top_k', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 60 }, (_, n) => ({
      role: 'user',
      content: `crate ${n} ${'blue '.repeat(n % 7)} dock ${n % 5}`,
    }))
    await heddle().call(me, 'observe', { turns })
    const args = { query: 'blue crate dock 3' }
    const ten = await heddle().call(me, 'recall', { ...args, top_k: 10 })
    const fifty = await heddle().call(me, 'recall', { ...args, top_k: 50 })
    expect(idsOf(ten)).toEqual(idsOf(fifty).slice(0, 10))
    expect(fifty.hits).toHaveLength(50)
    const again = await heddle().call(me, 'recall', { ...args, top_k: 50 })
    expect(idsOf(again)).toEqual(idsOf(fifty))
  })

  it('keeps to the token budget and says what it left out', async () => {
    const me = await heddle().identity()
    const turns = Array.from({ length: 5 }, (_, n) => ({
      role: 'user',
      content: `otter number ${n}`,
    }))
    await heddle().call(me, 'observe', { turns })
    const whole = await heddle().call(me, 'recall', { query: 'otter' })
    expect(whole.truncated).toBe(false)
    const budget = Math.floor(whole.budget.tokens_used / 2)
    const half = await heddle().call(me, 'recall', { query: 'otter', budget_tokens: budget })
    expect(half.truncated).toBe(true)
    expect(half.budget.tokens_used).toBeLessThanOrEqual(budget)
    expect(half.gaps.map(({ code }) => code)).toContain('truncated')
    expect(idsOf(half)).toEqual(idsOf(whole).slice(0, half.hits.length))
  })

  describe('filters', () => {
    const seed = async () => {
      const me = await heddle().identity()
      const doc = (path: string, args: object) =>
        heddle().call(me, 'doc.import', { path, content: `# Otter\n\notter in ${path}\n`, ...args })
      await doc('zoo/a.md', { type: 'note', tags: ['x', 'y'], observed_at: '2026-01-10T00:00:00Z' })
      await doc('zoo/b.md', { type: 'runbook', tags: ['x'], observed_at: '2026-02-10T00:00:00Z' })
      await doc('zoo_c.md', {})
      await heddle().call(me, 'observe', {
        turns: [{ role: 'user', content: 'an otter in a turn' }],
      })
      await heddle().call(me, 'kv.set', { key: 'pet', value: 'otter' })
      return me
    }

    it.each([
      [{}, 5],
      [{ kinds: ['chunk'] }, 3],
      [{ kinds: ['turn', 'kv'] }, 2],
      [{ kinds: ['fact'] }, 0],
      [{ types: ['note', 'runbook'] }, 2],
      [{ tags: ['x'] }, 2],
      [{ tags: ['x', 'y'] }, 1],
      [{ path: 'zoo/a.md' }, 1],
      [{ path: 'zoo/' }, 2],
      [{ path: 'zoo' }, 2],
      [{ path: 'zo' }, 0],
      [{ path: 'zoo/a' }, 0],
      [{ path: 'zoo/a.md/' }, 0],
      [{ path: '/' }, 3],
      [{ sources: { paths: ['zoo'] } }, 2],
      [{ sources: { paths: ['zoo_c.md', 'zoo_'] } }, 1],
      [{ sources: { paths: ['zoo/', 'zoo_c.md'] } }, 3],
      [{ sources: { kinds: ['chunk'], types: ['note'] } }, 1],
      [{ sources: { paths: ['zoo/'] }, path: 'zoo_c.md' }, 0],
      [{ observed: { from: '2026-01-10T00:00:00Z', to: '2026-02-10T00:00:00Z' } }, 1],
      [{ observed: { from: '2026-02-01T01:00:00+01:00' } }, 1],
      [{ observed: { from: '2026-02-01T00:00:00Z', missing: 'include' } }, 4],
      [{ observed: { missing: 'exclude' } }, 2],
      [{ observed: { to: '2026-02-01T00:00:00Z' } }, 1],
      [{ observed: { to: '2026-02-01T00:00:00Z', missing: 'include' } }, 4],
    ] as const)('narrow to %j', async (filters, count) => {
      const me = await seed()
      const answer = await heddle().call(me, 'recall', {
        query: 'otter',
        ...structuredClone(filters),
      } as never)
      expect(answer.hits).toHaveLength(count)
      const names = Object.keys(filters)
      expect(answer.filters_applied).toEqual(
        Object.fromEntries(['scopes', ...names].map((name) => [name, true])),
      )
      expect(answer.sources_requested).toBe('sources' in filters)
      expect(answer.sources_applied).toBe('sources' in filters && count > 0)
    })

    it.each([
      { zone: 7 },
      { kinds: ['chunks'] },
      { kinds: [] },
      { types: [''] },
      { tags: ['  '] },
      { path: '' },
      { path: null },
      { sources: {} },
      { sources: { path: 'x' } },
      { observed: { from: 'yesterday' } },
      { path: '/zoo' },
      { path: 'zoo//a.md' },
      { path: './zoo' },
      { sources: { paths: ['zoo', '../zoo'] } },
      { scopes: ['everything'] },
      { top_k: 0 },
      { top_k: -1 },
      { top_k: 1e9 },
      { top_k: 101 },
      { budget_tokens: 0 },
      { tenant: 'south' },
    ])('refuse %j instead of searching wider', async (filters) => {
      const me = await heddle().identity()
      const { error } = await heddle().fail(me, 'recall', { query: 'otter', ...filters })
      expect(error.code).toBe('INPUT_INVALID')
    })
  })

  it('take a folder with or without its slash, and not what only begins like it', async () => {
    const me = await heddle().identity()
    for (const path of ['guides/a.md', 'guides/deep/b.md', 'guides-old/x.md', 'guides.md']) {
      await heddle().call(me, 'doc.import', { path, content: 'An otter.\n' })
    }
    const pathsOf = async (args: object) => {
      const { hits } = await heddle().call(me, 'recall', { query: 'otter', ...args })
      return hits.map(({ citations }) => citations[0]?.path).sort()
    }
    const below = ['guides/a.md', 'guides/deep/b.md']
    expect(await pathsOf({ sources: { paths: ['guides'] } })).toEqual(below)
    expect(await pathsOf({ sources: { paths: ['guides/'] } })).toEqual(below)
    expect(await pathsOf({ path: 'guides' })).toEqual(below)
    expect(await pathsOf({ path: 'guides/deep' })).toEqual(['guides/deep/b.md'])
    await heddle().call(me, 'doc.import', { path: 'caf\u00e9/a.md', content: 'An otter.\n' })
    expect(await pathsOf({ path: 'cafe\u0301' })).toEqual(['caf\u00e9/a.md'])
  })

  it.each([
    [{}, ['observed'], 'window_empty'],
    [{ missing: 'include' }, ['observed'], 'window_empty'],
    [
      { from: '2026-02-01T00:00:00Z', to: '2026-02-01T01:00:00+01:00' },
      ['observed', 'to'],
      'window_not_after_from',
    ],
    [
      { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      ['observed', 'to'],
      'window_not_after_from',
    ],
  ] as const)('refuse the window %j', async (observed, path, code) => {
    const me = await heddle().identity()
    const { error } = await heddle().fail(me, 'recall', { query: 'otter', observed })
    expect(error).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path, code }] })
  })

  it('say so when the scopes hold nothing of an asked kind', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'kv.set', { key: 'pet', value: 'otter' })
    const gapsOf = async (query: string, args: object) => {
      const { gaps } = await heddle().call(me, 'recall', { query, ...args })
      return gaps
    }
    const absent = {
      code: 'kind_absent',
      message: 'These scopes hold nothing of kind fact, review',
    }
    expect(await gapsOf('otter', { kinds: ['review', 'fact'] })).toContainEqual(absent)
    const sources = { kinds: ['kv', 'fact', 'review'] }
    expect(await gapsOf('otter', { sources })).toEqual([absent])
    expect(await gapsOf('zebra', { sources })).toContainEqual(absent)
    expect((await gapsOf('zebra', { kinds: ['kv'] })).map(({ code }) => code)).toEqual([
      'nothing_found',
    ])
  })

  describe('scopes', () => {
    it('folds all that may be read, or keeps to those that are named', async () => {
      const me = await heddle().identity({
        user: 'u1',
        grants: ['agent:write', 'tenant:read', 'tenant:write'],
      })
      for (const scope of ['user', 'agent', 'tenant']) {
        await heddle().call(me, 'kv.set', { key: 'pet', value: `otter of ${scope}` }, scope)
      }
      const scopesOf = async (args: object, scope?: string) => {
        const { hits } = await heddle().call(me, 'recall', { query: 'otter', ...args }, scope)
        return hits.map((hit) => hit.scope).sort()
      }
      expect(await scopesOf({})).toEqual(['agent', 'tenant', 'user'])
      expect(await scopesOf({ scopes: ['user', 'tenant'] })).toEqual(['tenant', 'user'])
      expect(await scopesOf({}, 'agent')).toEqual(['agent'])
      const refused = await heddle().fail(me, 'recall', { query: 'otter', scopes: ['global'] })
      expect(refused.error.code).toBe('SCOPE_NOT_GRANTED')
      const outside = await heddle().fail(me, 'recall', { query: 'x', scopes: ['user'] }, 'agent')
      expect(outside.error.issues[0]?.code).toBe('scope_contradicted')
    })

    it('shows a tenant nothing of another, not even in its scores (case 4)', async () => {
      const north = await heddle().identity()
      const south = await heddle().identity()
      const say = (content: string) => ({ turns: [{ role: 'user', content }] })
      await heddle().call(south, 'observe', say('Quillon likes tea'))
      await heddle().call(south, 'observe', say('the harbour is closed'))
      const before = await recall(heddle(), south, { query: 'Quillon harbour' })
      await heddle().call(north, 'observe', say('Quillon works with Brandt'))
      const after = await recall(heddle(), south, { query: 'Quillon harbour' })
      expect(after.hits).toEqual(before.hits)
      expect((await recall(heddle(), south, { query: 'Brandt' })).hits).toEqual([])
    })
  })

  it('answers thirty parallel recalls over the same rows (case 144)', async () => {
    const me = await heddle().identity()
    await heddle().call(me, 'observe', { turns: [{ role: 'user', content: 'one otter' }] })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => recall(heddle(), me, { query: 'otter' })),
    )
    expect(answers.map(({ hits }) => hits.length)).toEqual(Array.from({ length: 30 }, () => 1))
  })
})

describeEngines('recall of what is drawn', (engine) => {
  it.each([
    [
      'a label of a flow chart',
      'potter',
      '```mermaid\nflowchart LR\n  A[Potter] --> B[Oven shelf]\n```',
    ],
    [
      'a message of a sequence',
      'turquoise',
      '```mermaid\nsequenceDiagram\n  Ann->>Bo: turquoise glaze\n```',
    ],
    ['the words of an image', 'heron', '![A heron on the jetty](img/1.png "At dawn")'],
    ['an image in a paragraph', 'heron', 'See ![A heron on the jetty](img/1.png) over there.'],
  ])('finds %s and quotes it as it is written', async (_, query, drawn) => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity()
    const content = `# M\n\nWords before.\n\n${drawn}\n\nWords after.\n`
    await heddle.call(me, 'doc.import', { path: 'm.md', content })
    const { hits, gaps } = await heddle.call(me, 'recall', { query })
    expect(hits[0]?.citations[0]?.quote).toContain(drawn)
    expect(gaps.filter(({ code }) => code === 'support_lost')).toEqual([])
  })
})
