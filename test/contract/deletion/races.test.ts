import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle } from '../../support/heddle.ts'
import { readAllRows } from '../../support/stored-rows.ts'

const ROUNDS = 20
const TEXT = '# Kiln\n\nThe first firing.\n\n## Cooling\n\nOver night.\n'

describeEngines(
  'a source that is deleted or forgotten while something is derived from it',
  (engine) => {
    const heddle = () => makeTestHeddle(engine())

    /** Rows in which an id stands, but for those that are about it being gone. */
    async function holding(id: string): Promise<readonly string[]> {
      const rows = await readAllRows(engine())
      return [...rows]
        .filter(([, held]) => held.some((row) => row.includes(id)))
        .map(([table]) => table)
    }

    async function race(
      me: Identity,
      end: (id: string) => Promise<unknown>,
      derive: readonly ((id: string, n: number) => Promise<unknown>)[],
      check: (id: string) => Promise<void>,
    ): Promise<void> {
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = `kiln-${round}.md`
        const { source_id: id } = await heddle().call(me, 'doc.import', { path, content: TEXT })
        const work = derive.map((step) => step(id, round))
        if (round % 2 === 0) await Promise.all([end(id), ...work])
        else await Promise.all([...work, end(id)])
        await check(id)
      }
    }

    const derivers = (me: Identity) => [
      (id: string) =>
        heddle().reply(me, 'evidence.add', { source_id: id, quote: 'The first firing.' }),
      (id: string) => heddle().reply(me, 'doc.update', { id, append: 'More.\n', if_revision: 1 }),
      (_: string, n: number) =>
        heddle().reply(me, 'doc.import', { path: `kiln-${n}.md`, content: `${TEXT}Else.\n` }),
      (id: string) => heddle().reply(me, 'evidence.add', { source_id: id, quote: 'Over night.' }),
    ]

    it('leaves nothing derived when it is forgotten', async () => {
      const me = await heddle().identity()
      await race(
        me,
        (id) => heddle().call(me, 'forget', { ids: [id] }),
        derivers(me),
        async (id) => {
          const tables = await holding(id)
          expect(tables.filter((table) => table !== 'evidence')).toEqual(['forget_receipt'])
          const evidence = (await readAllRows(engine())).get('evidence') ?? []
          const { records } = await heddle().call(me, 'list', { kind: 'evidence', limit: 200 })
          for (const record of records) {
            const shown = await heddle().call(me, 'get', { id: record.id, budget_tokens: 0 })
            expect(shown.record['source_state']).toBe('forgotten')
          }
          expect(records).toHaveLength(evidence.filter((row) => row.includes(me.tenantId)).length)
          await forgetAll(me)
        },
      )
    })

    it('leaves nothing in retrieval when it is deleted', async () => {
      const me = await heddle().identity()
      await race(
        me,
        (id) => heddle().call(me, 'doc.delete', { id }),
        derivers(me),
        async (id) => {
          const tables = await holding(id)
          for (const table of ['recall_item', 'link', 'source_name']) {
            expect(tables).not.toContain(table)
          }
          const { hits } = await heddle().call(me, 'recall', { query: 'firing night', top_k: 50 })
          expect(hits.filter(({ citations }) => citations[0]?.source_id === id)).toEqual([])
          await forgetAll(me)
        },
      )
    })

    it('brings no turn back that is forgotten while its transcript is sent again', async () => {
      const me = await heddle().identity()
      for (let round = 0; round < ROUNDS; round += 1) {
        const conversation = `c${round}`
        const turns = Array.from({ length: 5 }, (_, n) => ({ role: 'user', content: `Line ${n}.` }))
        const first = await heddle().call(me, 'observe', { conversation, turns })
        const id = first.turn_ids?.[2] ?? ''
        const longer = [...turns, { role: 'user', content: 'One more.' }]
        await Promise.all([
          heddle().call(me, 'observe', { conversation, turns: longer }),
          heddle().call(me, 'forget', { ids: [id] }),
          heddle().reply(me, 'evidence.add', { chunk_id: id, quote: 'Line 2.' }),
          heddle().call(me, 'observe', { conversation, turns: longer }),
        ])
        const last = await heddle().call(me, 'observe', { conversation, turns: longer })
        expect(last).toMatchObject({ added: 0, skipped: 6 })
        const rows = (await readAllRows(engine())).get('turn') ?? []
        const mine = rows.filter((row) => row.includes(first.source_id))
        expect(mine).toHaveLength(6)
        expect(mine.filter((row) => row.includes('Line 2.'))).toEqual([])
      }
      const { records } = await heddle().call(me, 'list', { kind: 'evidence', limit: 200 })
      for (const { id } of records) {
        const { record } = await heddle().call(me, 'get', { id })
        expect(record['source_state']).toBe('forgotten')
      }
    })

    it('lets two forget the same source: one receipt, one not found', async () => {
      const me = await heddle().identity()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { source_id: id } = await heddle().call(me, 'observe', { text: `Text ${round}.` })
        const replies = await Promise.all([
          heddle().reply(me, 'forget', { ids: [id] }),
          heddle().reply(me, 'forget', { ids: [id] }),
        ])
        const codes = replies.map((reply) => (reply.ok ? 'ok' : reply.error.code))
        expect(codes.sort()).toEqual(['NOT_FOUND', 'ok'])
      }
    })

    /** Makes the next round begin with nothing. */
    async function forgetAll(me: Identity): Promise<void> {
      const { records } = await heddle().call(me, 'list', { limit: 200 })
      const ids = records
        .filter(({ kind }) => kind === 'source' || kind === 'evidence')
        .map(({ id }) => id)
      if (ids.length > 0) await heddle().call(me, 'forget', { ids })
    }
  },
)
