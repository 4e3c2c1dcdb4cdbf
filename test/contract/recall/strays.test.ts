import { expect, it } from 'vitest'

import { newRandomId } from '../../../src/core/ids.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import { makeScopeSet, NO_SCOPES } from '../../../src/identity/scope.ts'
import type { OperationCall } from '../../../src/operation/call.ts'
import { makeProvenance } from '../../../src/provenance/provenance.ts'
import { type RecallRequest, runRecall } from '../../../src/recall/recall.ts'
import type { Retriever } from '../../../src/recall/retriever.ts'
import { makeAbsentRetriever } from '../../../src/recall/retrievers/absent.ts'
import { lexicalRetriever } from '../../../src/recall/retrievers/lexical.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

describeEngines('recall does not believe its retrievers', (engine) => {
  const heddle = () => makeTestHeddle(engine())

  /** The parts of a call that the pipeline uses, over the identity's own scope. */
  const makeCall = async (identity: Identity): Promise<OperationCall> => {
    const scopes = await resolveScopes(engine(), identity, NEVER)
    const read = makeScopeSet(scopes.filter(({ kind }) => kind === 'agent'))
    return {
      identity,
      provenance: makeProvenance(identity),
      read,
      limits: heddle().deps.limits,
      newId: newRandomId,
      signal: NEVER,
      note: () => undefined,
      readTransaction: (fn) =>
        engine().withTransaction({ read, write: NO_SCOPES }, { readOnly: true }, fn),
    }
  }

  const seed = async () => {
    const me = await heddle().identity()
    const { turn_ids: turns = [] } = await heddle().call(me, 'observe', {
      turns: [{ role: 'user', content: 'otter in a turn' }],
    })
    const { entry_id: entry } = await heddle().call(me, 'kv.set', { key: 'pet', value: 'otter' })
    return { me, turn: turns[0] ?? '', entry }
  }

  const retrieverOf = (name: string, ...ids: string[]): Retriever => ({
    name,
    run: () =>
      Promise.resolve({ ran: true, candidates: ids.map((recordId) => ({ recordId, score: 1 })) }),
  })

  const request = (call: OperationCall, filters: RecallRequest['filters']): RecallRequest => ({
    query: 'otter',
    scopes: call.read,
    filters,
    budget: { topK: 10 },
  })

  it('drops what fails a filter, turns its flag false and names the retriever', async () => {
    const { me, turn, entry } = await seed()
    const call = await makeCall(me)
    const filters = { sources: { kinds: ['kv'] }, tags: ['absent'] } as const
    const answer = await runRecall(
      call,
      [lexicalRetriever, retrieverOf('careless', turn, entry)],
      request(call, filters),
    )
    expect(answer.pack.hits).toEqual([])
    expect(answer.areSourcesApplied).toBe(false)
    expect(answer.filtersApplied).toEqual({ scopes: true, sources: false, tags: false })
    expect(answer.retrievers).toMatchObject([
      { name: 'lexical', strays: 0 },
      { name: 'careless', strays: 2 },
    ])
  })

  it('keeps the flag true while every candidate passes', async () => {
    const { me, entry } = await seed()
    const call = await makeCall(me)
    const answer = await runRecall(
      call,
      [lexicalRetriever, retrieverOf('careful', entry)],
      request(call, { sources: { kinds: ['kv'] } }),
    )
    expect(answer.pack.hits.map(({ recordId }) => recordId)).toEqual([entry])
    expect([...(answer.pack.hits[0]?.ranks.keys() ?? [])]).toEqual(['lexical', 'careful'])
    expect(answer.areSourcesApplied).toBe(true)
  })

  it('never shows a record of another tenant, whoever proposes it', async () => {
    const { me } = await seed()
    const foreign = await seed()
    const call = await makeCall(me)
    const answer = await runRecall(
      call,
      [retrieverOf('foreign', foreign.turn, foreign.entry, newRandomId())],
      request(call, {}),
    )
    expect(answer.pack.hits).toEqual([])
    expect(answer.filtersApplied).toEqual({ scopes: false })
    expect(answer.retrievers).toMatchObject([{ name: 'foreign', strays: 3 }])
  })

  it('claims nothing when nothing ran', async () => {
    const { me } = await seed()
    const call = await makeCall(me)
    const absent = makeAbsentRetriever('vector', 'no embedding lane')
    const answer = await runRecall(call, [absent], request(call, { sources: { kinds: ['kv'] } }))
    expect(answer.areSourcesApplied).toBe(false)
    expect(answer.filtersApplied).toEqual({ scopes: false, sources: false })
  })

  it('drops a chunk whose text is no longer what its source says', async () => {
    const { me, turn } = await seed()
    const call = await makeCall(me)
    const access = { read: call.read, write: call.read, provenance: call.provenance }
    await engine().withTransaction(access, {}, (tx) =>
      tx.execute({
        name: 'test.tamper',
        text: `update heddle.recall_item set text = 'otter, tampered with' where record_id = $1`,
        values: [turn],
      }),
    )
    const answer = await runRecall(call, [lexicalRetriever], request(call, { kinds: ['turn'] }))
    expect(answer.pack.hits).toEqual([])
    expect(answer.unsupported).toBe(1)
  })
})
