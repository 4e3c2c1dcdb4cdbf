import { expect, it } from 'vitest'

import { verifyEvidence } from '../../../src/evidence/index.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import { makeScopeSet } from '../../../src/identity/scope.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

describeEngines('many kinds of work at once', (engine) => {
  it('leaves the store readable and complete (case 16)', async () => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity()
    const rounds = 50
    const content = (n: number) =>
      `# Note ${n}\n\nThe kestrel number ${n} hovers. See [[Note 0]].\n`
    await heddle.call(me, 'doc.import', { path: 'n0.md', content: content(0) })
    for (let n = 1; n <= rounds; n += 1) {
      const before = await heddle.call(me, 'doc.import', {
        path: `old${n}.md`,
        content: content(n),
      })
      const replies = await Promise.all([
        heddle.reply(me, 'doc.import', { path: `n${n}.md`, content: content(n) }),
        heddle.reply(me, 'observe', { turns: [{ role: 'user', content: `Turn ${n}.` }] }),
        heddle.reply(me, 'doc.delete', { id: before.source_id }),
        heddle.reply(me, 'evidence.add', {
          source_id: before.source_id,
          quote: `kestrel number ${n}`,
        }),
        heddle.reply(me, 'kv.incr', { key: 'n' }),
      ])
      const codes = replies.map((reply) => (reply.ok ? 'ok' : reply.error.code))
      expect(codes.filter((code) => code !== 'ok')).toEqual(codes[3] === 'ok' ? [] : ['NOT_FOUND'])
    }
    const { total } = await heddle.call(me, 'list', { kind: 'source' })
    expect(total).toBe(rounds + 2)
    expect((await heddle.call(me, 'list', { kind: 'turn' })).total).toBe(rounds)
    const { hits } = await heddle.call(me, 'recall', { query: 'kestrel', top_k: 100 })
    expect(hits).toHaveLength(rounds + 1)
    const rows = await resolveScopes(engine(), me, NEVER)
    const scopes = makeScopeSet(rows.filter(({ kind }) => kind === 'agent'))
    const report = await verifyEvidence(engine(), scopes, { signal: NEVER })
    expect(report).toMatchObject({ texts: 2 * rounds + 1, turns: rounds, failed: 0 })
  })

  it('gives back a document of five appends as their concatenation (case 130)', async () => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity()
    const parts = [
      '# Log\n',
      '\nFirst.\n',
      '\n## Two\r\n\r\nSecond.',
      ' And on.\n',
      '\n| a | b |\n|---|---|\n',
      '| 1 | 2 |',
    ]
    const { source_id: id } = await heddle.call(me, 'doc.import', {
      path: 'l.md',
      content: parts[0] ?? '',
    })
    for (const append of parts.slice(1)) await heddle.call(me, 'doc.update', { id, append })
    expect((await heddle.call(me, 'doc.get', { id })).content).toBe(parts.join(''))
  })
})
