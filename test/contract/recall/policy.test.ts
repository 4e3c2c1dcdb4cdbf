import { beforeAll, describe, expect, it } from 'vitest'

import { newRandomId } from '../../../src/core/ids.ts'
import type { Transaction } from '../../../src/engines/postgres/engine.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import {
  makeScopeSet,
  NO_SCOPES,
  type ScopeRef,
  type ScopeSet,
} from '../../../src/identity/scope.ts'
import { type ItemInput, putItems } from '../../../src/items/index.ts'
import { makeProvenance } from '../../../src/provenance/provenance.ts'
import { countTerms } from '../../../src/recall/sql/count-terms.ts'
import { rankItems } from '../../../src/recall/sql/rank-items.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

const WORDS = Array.from({ length: 400 }, (_, n) => `lexeme${n}x`)

function makeItems(count: number, offset: number): ItemInput[] {
  return Array.from({ length: count }, (_, n) => ({
    kind: 'turn',
    recordId: newRandomId(),
    revision: 1,
    text: Array.from(
      { length: 12 },
      (__, at) => WORDS[((n + offset) * 7 + at * at * 31) % WORDS.length],
    ).join(' '),
  }))
}

/** Plain SQL under the policy, as the serving role: what the functions must agree with. */
function matchUnderPolicy(terms: readonly string[]) {
  return {
    name: 'test.match',
    text: 'select record_id from heddle.recall_item where lexemes @@ $1::tsquery',
    values: [terms.map((term) => `'${term}'`).join('|')],
  }
}

const ranking = (terms: readonly string[]) => ({
  seeds: terms,
  terms,
  idfs: terms.map(() => 1),
  meanWords: 12,
})

describeEngines('the functions that rank items beside row-level security', (engine) => {
  const scopes: ScopeRef[] = []

  const read = <T>(set: ScopeSet, fn: (tx: Transaction) => Promise<T>) =>
    engine().withTransaction({ read: set, write: NO_SCOPES }, {}, fn)

  beforeAll(async () => {
    const heddle = makeTestHeddle(engine())
    for (const user of ['u1', 'u2']) {
      const identity = await heddle.identity({ user })
      const provenance = makeProvenance(identity)
      for (const scope of await resolveScopes(engine(), identity, NEVER)) {
        if (scope.kind === 'global') continue
        scopes.push(scope)
        const own = makeScopeSet([scope])
        const items = makeItems(scope.kind === 'tenant' ? 1500 : 200, scopes.length * 17)
        await engine().withTransaction({ read: own, write: own, provenance }, {}, (tx) =>
          putItems(tx, scope, items),
        )
      }
    }
    await engine().withOwner({}, (tx) =>
      tx.query({ name: 'test.analyze', text: 'analyze heddle.recall_item', values: [] }),
    )
  })

  it('give exactly the rows that the policy shows', async () => {
    const sets = [[0], [1], [0, 1, 2], [3, 4], [0, 3], [0, 1, 2, 3, 4, 5], []].map((indexes) =>
      makeScopeSet(indexes.map((index) => scopes[index] as ScopeRef)),
    )
    for (const set of sets) {
      for (const terms of [['lexeme3x'], ['lexeme5x', 'lexeme50x'], ['absent']]) {
        const [ranked, plain, counts] = await read(set, async (tx) => [
          await tx.query(rankItems(set, ranking(terms), {}, 10_000)),
          await tx.query(matchUnderPolicy(terms)),
          await tx.query(countTerms(set, terms)),
        ])
        const ids = (rows: typeof plain) => rows.map((row) => row['record_id'] as string).sort()
        expect(ids(ranked)).toEqual(ids(plain))
        if (terms.length === 1) expect(counts[1]?.['items']).toBe(plain.length)
      }
    }
  })

  it('show nothing of scopes that the transaction does not read, whatever they are asked for', async () => {
    const [mine, other] = [
      makeScopeSet([scopes[0] as ScopeRef]),
      makeScopeSet([scopes[3] as ScopeRef]),
    ]
    const rows = await read(mine, (tx) => tx.query(rankItems(other, ranking(WORDS), {}, 10_000)))
    expect(rows).toEqual([])
    const [all] = await read(mine, (tx) => tx.query(countTerms(other, [])))
    expect(all?.['items']).toBe(0)
    expect(await read(NO_SCOPES, (tx) => tx.query(countTerms(other, [])))).toMatchObject([
      { items: 0 },
    ])
  })

  it('keep to the asked part of what may be read', async () => {
    const both = makeScopeSet([scopes[0] as ScopeRef, scopes[1] as ScopeRef])
    const one = makeScopeSet([scopes[0] as ScopeRef])
    const wide = await read(both, (tx) => tx.query(rankItems(one, ranking(WORDS), {}, 10_000)))
    const narrow = await read(one, (tx) => tx.query(rankItems(one, ranking(WORDS), {}, 10_000)))
    expect(wide).toEqual(narrow)
  })

  it('are not for the dispatching role', async () => {
    const attempt = engine().withDispatch({}, (tx) => tx.query(countTerms(NO_SCOPES, [])))
    await expect(attempt).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
  })

  describe('plans', () => {
    const scans = async (tx: Transaction): Promise<number> => {
      const [row] = await tx.query({
        name: 'test.index_scans',
        text: `select pg_stat_get_xact_numscans('heddle.recall_item_lexemes_idx'::regclass)::integer as scans`,
        values: [],
      })
      return row?.['scans'] as number
    }

    const scansOf = (statement: Parameters<Transaction['query']>[0]) =>
      read(makeScopeSet([scopes.find(({ kind }) => kind === 'tenant') as ScopeRef]), async (tx) => {
        const before = await scans(tx)
        await tx.query(statement)
        return (await scans(tx)) - before
      })

    it('use the text index, which plain SQL under the policy cannot', async () => {
      const set = makeScopeSet(scopes)
      expect(await scansOf(rankItems(set, ranking(['lexeme3x']), {}, 100))).toBe(1)
      expect(await scansOf(countTerms(set, ['lexeme3x', 'lexeme5x']))).toBe(2)
      expect(await scansOf(matchUnderPolicy(['lexeme3x']))).toBe(0)
    })
  })
})
