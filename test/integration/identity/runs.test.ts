import { beforeAll, expect, it } from 'vitest'

import { newRandomId } from '../../../src/core/ids.ts'
import { authenticate, type Credential } from '../../../src/identity/authenticate.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { createKey, listKeys, revokeKey } from '../../../src/identity/keys.ts'
import {
  endLocalRun,
  endRun,
  RunRequest,
  startLocalRun,
  startRun,
} from '../../../src/identity/runs.ts'
import { listTenants, removeTenant } from '../../../src/identity/tenants.ts'
import { sweep } from '../../../src/memory/maintenance.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

describeEngines('runs and credentials', (engine) => {
  let heddle: ReturnType<typeof makeTestHeddle>
  let north: Identity
  let service: Credential

  beforeAll(async () => {
    heddle = makeTestHeddle(engine())
    north = await heddle.identity()
    service = await makeService(['tenant:read'])
  })

  async function makeService(
    grants: readonly ('tenant:read' | 'tenant:write')[],
  ): Promise<Credential> {
    const { token } = await createKey(
      engine(),
      newRandomId,
      { tenant: north.tenant, role: 'service', grants: [...grants], isolated: false },
      NEVER,
    )
    return authenticate(engine(), token, NEVER)
  }

  async function open(
    parts: Partial<RunRequest> = {},
    by: Credential = service,
  ): Promise<{ runId: string; token: string; identity: Identity }> {
    const request = RunRequest.parse({ agent: 'a1', ...parts })
    const { run_id: runId, token } = await startRun(engine(), newRandomId, by, request, NEVER)
    const { identity } = await authenticate(engine(), token, NEVER)
    return { runId, token, identity }
  }

  async function refused(token: string): Promise<void> {
    await expect(authenticate(engine(), token, NEVER)).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
    })
  }

  it('binds a run to everything the platform said', async () => {
    const { identity } = await open({
      agent: 'größe/東京 1',
      user: 'u1',
      session: 's-1',
      run: 'r-1',
      model: 'm-1',
      compaction_generation: 3,
      grants: ['tenant:read'],
    })
    expect(identity).toMatchObject({
      tenant: north.tenant,
      agent: 'größe/東京 1',
      user: 'u1',
      session: 's-1',
      run: 'r-1',
      model: 'm-1',
      compactionGeneration: 3,
      grants: ['tenant:read'],
      role: 'agent',
      isolated: false,
    })
  })

  it('gives no grant that the key does not hold, and none unasked', async () => {
    await expect(open({ grants: ['tenant:write'] })).rejects.toMatchObject({
      code: 'GRANT_EXCESSIVE',
    })
    expect((await open()).identity.grants).toEqual([])
  })

  it('opens runs with a service key only', async () => {
    const { identity } = await open()
    await expect(
      startRun(
        engine(),
        newRandomId,
        { kind: 'run', identity },
        RunRequest.parse({ agent: 'x' }),
        NEVER,
      ),
    ).rejects.toMatchObject({ code: 'OPERATION_FORBIDDEN' })
    const reply = await heddle.fail(service.identity, 'kv.list', {})
    expect(reply.error.code).toBe('OPERATION_FORBIDDEN')
  })

  it('ends a run for its token and for its scope at once', async () => {
    const { runId, token, identity } = await open()
    await heddle.call(identity, 'kv.set', { key: 'note', value: 'ephemeral' }, 'run')
    expect((await heddle.call(identity, 'kv.get', { key: 'note' }, 'run')).value).toBe('ephemeral')
    await endRun(engine(), service, runId, NEVER)
    await refused(token)
    // Also for a caller that still holds the identity.
    for (const op of ['kv.get', 'kv.set', 'kv.history'] as const) {
      const args = op === 'kv.set' ? { key: 'note', value: 1 } : { key: 'note' }
      expect((await heddle.fail(identity, op, args, 'run')).error.code).toBe('RUN_ENDED')
    }
    await endRun(engine(), service, runId, NEVER)
  })

  it('ends with its parent, at any depth', async () => {
    const parent = await open()
    const child = await open({ parent_run: parent.runId })
    const grandchild = await open({ parent_run: child.runId })
    await heddle.call(grandchild.identity, 'kv.set', { key: 'n', value: 1 }, 'run')
    await endRun(engine(), service, parent.runId, NEVER)
    await refused(child.token)
    await refused(grandchild.token)
    expect((await heddle.fail(grandchild.identity, 'kv.get', { key: 'n' }, 'run')).error.code).toBe(
      'RUN_ENDED',
    )
    await expect(open({ parent_run: child.runId })).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
  })

  it('does not join the tree of another key', async () => {
    const other = await makeService([])
    const { runId } = await open()
    await expect(open({ parent_run: runId }, other)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' })
    await expect(endRun(engine(), other, runId, NEVER)).rejects.toMatchObject({
      code: 'RUN_UNKNOWN',
    })
  })

  it('expires by the clock of the database, also when nobody ended it', async () => {
    const { token, identity } = await open({ ttl_seconds: 1 })
    await heddle.call(identity, 'kv.set', { key: 'n', value: 1 }, 'run')
    await expect
      .poll(async () => (await heddle.reply(identity, 'kv.get', { key: 'n' }, 'run')).ok, {
        timeout: 10_000,
      })
      .toBe(false)
    await refused(token)
  })

  it('empties the scope of dead runs, and only those', async () => {
    const [dead, live] = [await open(), await open()]
    for (const { identity } of [dead, live])
      await heddle.call(identity, 'kv.set', { key: 'n', value: 'x' }, 'run')
    await endRun(engine(), service, dead.runId, NEVER)
    const report = await sweep(engine(), NEVER)
    expect(report.purgedRuns).toBeGreaterThan(0)
    expect((await heddle.call(live.identity, 'kv.get', { key: 'n' }, 'run')).value).toBe('x')
    const left = await engine().withDispatch({}, (tx) =>
      tx.query({
        name: 'test.unpurged',
        text: 'select run_id from heddle.run where run_id = any ($1) and purged_at is null',
        values: [[dead.runId, live.runId]],
      }),
    )
    expect(left).toEqual([{ run_id: live.runId }])
  })

  it('revokes a key together with the runs it opened', async () => {
    const { token, prefix } = await createKey(
      engine(),
      newRandomId,
      { tenant: north.tenant, role: 'service', grants: [], isolated: false },
      NEVER,
    )
    const run = await open({}, await authenticate(engine(), token, NEVER))
    await revokeKey(engine(), north.tenant, prefix, NEVER)
    await refused(token)
    await refused(run.token)
    const listed = (await listKeys(engine(), north.tenant, NEVER)).find(
      (key) => key.prefix === prefix,
    )
    expect(listed?.revoked_at).toEqual(expect.any(String))
    expect(JSON.stringify(listed)).not.toContain(token.slice(prefix.length))
  })

  it('ends what a caller still holds of a revoked key with its next call', async () => {
    const { token, prefix } = await createKey(
      engine(),
      newRandomId,
      { tenant: north.tenant, role: 'agent', agent: 'a9', grants: [], isolated: false },
      NEVER,
    )
    const { identity } = await authenticate(engine(), token, NEVER)
    await heddle.call(identity, 'kv.set', { key: 'n', value: 1 })
    await revokeKey(engine(), north.tenant, prefix, NEVER)
    expect((await heddle.fail(identity, 'kv.get', { key: 'n' })).error.code).toBe(
      'CREDENTIAL_INVALID',
    )
  })

  it('answers unknown, malformed and foreign tokens alike', async () => {
    for (const token of [
      '',
      'hk_x',
      'Bearer',
      `hk_00000000_${'A'.repeat(43)}`,
      `hr_00000000_${'_'.repeat(43)}`,
    ]) {
      await refused(token)
    }
    await expect(revokeKey(engine(), north.tenant, 'hk_00000000', NEVER)).rejects.toMatchObject({
      code: 'KEY_UNKNOWN',
    })
  })

  it('gives a local process a run that ends with it', async () => {
    const identity = await startLocalRun(engine(), newRandomId, north, NEVER)
    await heddle.call(identity, 'kv.set', { key: 'n', value: 1 }, 'run')
    await endLocalRun(engine(), identity, NEVER)
    expect((await heddle.fail(identity, 'kv.get', { key: 'n' }, 'run')).error.code).toBe(
      'RUN_ENDED',
    )
  })

  it('removes a tenant with everything it holds and leaves the others', async () => {
    const doomed = await heddle.identity()
    await heddle.call(doomed, 'kv.set', { key: 'k', value: 'gone' })
    await heddle.call(north, 'kv.set', { key: 'k', value: 'stays' })
    await removeTenant(engine(), doomed.tenant, NEVER)
    expect((await heddle.fail(doomed, 'kv.get', { key: 'k' })).error.code).toBe(
      'CREDENTIAL_INVALID',
    )
    expect((await heddle.call(north, 'kv.get', { key: 'k' })).value).toBe('stays')
    const names = (await listTenants(engine(), NEVER)).map(({ name }) => name)
    expect(names).toContain(north.tenant)
    expect(names).not.toContain(doomed.tenant)
    await expect(removeTenant(engine(), doomed.tenant, NEVER)).rejects.toMatchObject({
      code: 'TENANT_UNKNOWN',
    })
    await expect(removeTenant(engine(), 'system', NEVER)).rejects.toMatchObject({
      code: 'TENANT_PROTECTED',
    })
  })
})
