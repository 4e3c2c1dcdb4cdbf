import { expect, it } from 'vitest'

import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import { verifyAllTenants, verifyEvidence } from '../../../src/evidence/index.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import { makeScopeSet } from '../../../src/identity/scope.ts'
import { runInProcess } from '../../e2e/support/run-in-process.ts'
import { describeEachEngine, describeEngines, type TestEngine } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'
import { tamper } from '../../support/stored-rows.ts'

const TEXT = '# Kiln\n\nThe first firing.\n\n## Cooling\n\nOver night.\n'

async function scopesOf(engine: PostgresEngine, identity: Identity) {
  const rows = await resolveScopes(engine, identity, NEVER)
  return makeScopeSet(rows.filter(({ kind }) => kind !== 'global'))
}

async function fill(engine: PostgresEngine, me: Identity) {
  const heddle = makeTestHeddle(engine)
  const document = await heddle.call(me, 'doc.import', { path: 'kiln.md', content: TEXT })
  const turns = [
    { role: 'user', content: 'It rains.' },
    { role: 'user', content: 'It rains still.' },
  ]
  const said = await heddle.call(me, 'observe', { turns })
  const cited = await heddle.call(me, 'evidence.add', {
    source_id: document.source_id,
    quote: 'The first firing.',
  })
  const heard = await heddle.call(me, 'evidence.add', {
    chunk_id: said.turn_ids?.[1] ?? '',
    quote: 'rains still',
  })
  return { document, said, cited, heard }
}

describeEngines('verifying evidence', (engine) => {
  const verify = async (me: Identity) =>
    verifyEvidence(engine(), await scopesOf(engine(), me), { signal: NEVER })

  it('counts what is whole, and goes on doing so when sources are deleted and forgotten', async () => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity()
    const { document, said } = await fill(engine(), me)
    const steps: number[] = []
    const progress = { start: (total: number) => steps.push(total), step: () => steps.push(1) }
    const scopes = await scopesOf(engine(), me)
    const report = await verifyEvidence(engine(), scopes, { signal: NEVER, progress })
    expect(report).toEqual({
      texts: 1,
      chunks: report.chunks,
      turns: 2,
      evidence: 2,
      not_readable: 0,
      failed: 0,
      faults: [],
    })
    expect(report.chunks).toBeGreaterThan(3)
    expect(steps).toEqual([5, 1, 1, 1, 1, 1])
    await heddle.call(me, 'doc.delete', { id: document.source_id })
    expect(await verify(me)).toMatchObject({ texts: 1, evidence: 2, failed: 0 })
    await heddle.call(me, 'forget', { ids: [document.source_id, said.turn_ids?.[0] ?? ''] })
    expect(await verify(me)).toMatchObject({ texts: 0, turns: 1, evidence: 1, failed: 0 })
  })

  it('names what does not have its hash any more, whichever table was changed', async () => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity()
    const { document, said, cited, heard } = await fill(engine(), me)
    const { source_id } = document
    const [turn = ''] = said.turn_ids ?? []
    // A turn refuses every update but its erasure, even by the owner: the trigger is lifted too.
    const changed = [
      await tamper(
        engine(),
        'source_revision',
        `update heddle.source_revision set text = replace(text, 'firing.', 'Firing.') where source_id = '${source_id}'`,
      ),
      await tamperPastTrigger(
        engine(),
        'turn',
        `update heddle.turn set content = 'It snows.' where chunk_id = '${turn}'`,
      ),
      await tamperPastTrigger(
        engine(),
        'evidence',
        `update heddle.evidence set end_offset = 5000 where evidence_id = '${heard.evidence_id}'`,
      ),
    ]
    expect(changed).toEqual([1, 1, 1])
    const { failed, faults } = await verify(me)
    expect(failed).toBe(faults.length)
    const found = faults.map(({ table, id, fault }) => [table, fault, id])
    expect(found).toContainEqual(['source_revision', 'hash', undefined])
    expect(found).toContainEqual(['chunk_revision', 'hash', cited.chunk_id])
    expect(found).toContainEqual(['turn', 'hash', turn])
    expect(found).toContainEqual(['evidence', 'hash', cited.evidence_id])
    expect(found).toContainEqual(['evidence', 'span', heard.evidence_id])
    const { record } = await heddle.call(me, 'get', { id: cited.evidence_id })
    expect(record['is_intact']).toBe(false)

    const other = await heddle.identity()
    await fill(engine(), other)
    expect(await verify(other)).toMatchObject({ failed: 0 })
    const all = await verifyAllTenants(engine(), { signal: NEVER })
    expect(all.failed).toBe(failed)
    expect(all.evidence).toBeGreaterThanOrEqual(4)
  })

  it('counts evidence whose source lies outside the scopes as such', async () => {
    const heddle = makeTestHeddle(engine())
    const me = await heddle.identity({ user: 'u1' })
    const shared = await heddle.call(me, 'observe', { text: 'For all to read.' }, 'tenant')
    await heddle.call(me, 'evidence.add', { source_id: shared.source_id, quote: 'to read' })
    const rows = await resolveScopes(engine(), me, NEVER)
    const own = makeScopeSet(rows.filter(({ kind }) => kind === 'user'))
    const report = await verifyEvidence(engine(), own, { signal: NEVER })
    expect(report).toMatchObject({ evidence: 1, not_readable: 1, failed: 0 })
  })
})

describeEachEngine('heddle doctor --verify-evidence', (opener) => {
  const envOf = ({ database, dataDir }: TestEngine, me: Identity): Record<string, string> => ({
    HEDDLE_TENANT: me.tenant,
    HEDDLE_AGENT: me.agent,
    ...(database === undefined ? {} : { DATABASE_URL: database.appUrl }),
    ...(dataDir === undefined ? {} : { HEDDLE_DATA_DIR: dataDir }),
  })

  it('exits with 1 and names what is damaged, in what the identity reads or everywhere', async () => {
    await using opened = await opener.open()
    const { engine } = opened
    const heddle = makeTestHeddle(engine)
    const [me, other] = [await heddle.identity(), await heddle.identity()]
    const { document } = await fill(engine, me)
    await fill(engine, other)
    const words = ['doctor', '--verify-evidence', '--json']
    const well = await runInProcess(words, envOf(opened, me))
    expect([well.code, JSON.parse(well.stdout)]).toMatchObject([
      0,
      { ok: true, evidence: { texts: 1, turns: 2, evidence: 2, failed: 0 } },
    ])
    await tamper(
      engine,
      'source_revision',
      `update heddle.source_revision set text = text || 'x' where source_id = '${document.source_id}'`,
    )
    const damaged = await runInProcess(words, envOf(opened, me))
    expect([damaged.code, JSON.parse(damaged.stdout)]).toMatchObject([
      1,
      {
        ok: false,
        evidence: {
          failed: 1,
          faults: [{ table: 'source_revision', source_id: document.source_id, revision: 1 }],
        },
      },
    ])
    expect((await runInProcess(words, envOf(opened, other))).code).toBe(0)
    const all = await runInProcess([...words, '--all-tenants'], envOf(opened, other))
    expect([all.code, JSON.parse(all.stdout)]).toMatchObject([
      1,
      { evidence: { texts: 2, failed: 1 } },
    ])
    const human = await runInProcess(words.slice(0, 2), envOf(opened, me))
    expect(human.stdout).toContain('1 failed')
    expect(human.stdout).toContain(document.source_id)
  })
})

async function tamperPastTrigger(
  engine: PostgresEngine,
  table: string,
  statement: string,
): Promise<number> {
  const trigger = `${table}_only_erase`
  await tamper(engine, table, `alter table heddle.${table} disable trigger ${trigger}`)
  const changed = await tamper(engine, table, statement)
  await tamper(engine, table, `alter table heddle.${table} enable trigger ${trigger}`)
  return changed
}
