import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type App, bearer, openApp } from '../support/open-app.ts'

describe('a platform and its agents over HTTP', () => {
  let app: App

  beforeAll(async () => {
    app = await openApp()
  })

  afterAll(() => app[Symbol.asyncDispose]())

  it('turns a service key into a run that works with memory until it ends', async () => {
    const tenant = await app.tenant()
    const platform = app.client(await app.key(tenant, { role: 'service', grants: ['tenant:read'] }))
    const run = await platform.startRun({
      agent: 'a1',
      user: 'größe/東京 1',
      grants: ['tenant:read'],
    })
    const memory = app.client(run.token)

    const set = await memory.call('kv.set', { key: 'a/b?c#d', value: { n: 1 } })
    expect(set).toMatchObject({ ok: true, scopes: ['user'], result: { revision: 1 } })
    expect((await memory.call('kv.get', { key: 'a/b?c#d' })).result.value).toEqual({ n: 1 })

    const content = '# Crates\n\nMarker ZK-4417 belongs to the blue crate.\n'
    const imported = await memory.call('doc.import', { path: 'guides/crates.md', content })
    const recalled = await memory.call('recall', { query: 'ZK-4417' })
    const [hit] = recalled.result.hits
    expect(JSON.stringify(hit)).toContain(imported.result.source_id)
    expect(hit?.text).toContain('ZK-4417')

    await memory.call('kv.set', { key: 'scratch', value: 1 }, { scope: 'run' })
    const other = await platform.startRun({ agent: 'a1', user: 'größe/東京 1' })
    const again = app.client(other.token)
    expect((await again.call('kv.get', { key: 'a/b?c#d' })).result.value).toEqual({ n: 1 })
    await expect(again.call('kv.get', { key: 'scratch' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })

    await platform.endRun(run.run_id)
    await expect(memory.call('kv.get', { key: 'a/b?c#d' })).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      status: 401,
    })
  })

  it('closes the runs below a run with it', async () => {
    const tenant = await app.tenant()
    const platform = app.client(await app.key(tenant, { role: 'service' }))
    const parent = await platform.startRun({ agent: 'a1' })
    const child = await platform.startRun({ agent: 'a2', parent_run: parent.run_id })
    await app.client(child.token).call('kv.set', { key: 'k', value: 1 }, { scope: 'run' })
    await platform.endRun(parent.run_id)
    await expect(app.client(child.token).call('kv.get', { key: 'k' })).rejects.toMatchObject({
      status: 401,
    })
  })

  it('keeps the roles apart', async () => {
    const tenant = await app.tenant()
    const service = app.client(await app.key(tenant, { role: 'service', grants: ['tenant:read'] }))
    await expect(service.call('kv.get', { key: 'k' })).rejects.toMatchObject({
      code: 'OPERATION_FORBIDDEN',
    })
    await expect(service.startRun({ agent: 'a1', grants: ['tenant:write'] })).rejects.toMatchObject(
      { code: 'GRANT_EXCESSIVE' },
    )
    const agent = app.client(await app.key(tenant))
    await expect(agent.startRun({ agent: 'a1' })).rejects.toMatchObject({
      code: 'OPERATION_FORBIDDEN',
    })
  })

  it('answers a run of another platform, one that never was and what is no id alike', async () => {
    const tenant = await app.tenant()
    const north = await app.key(tenant, { role: 'service' })
    const south = await app.key(await app.tenant(), { role: 'service' })
    const { run_id: known } = await app.client(north).startRun({ agent: 'a1' })
    const never = '3f0e8a54-93a5-4f3c-9d6a-0d7a1f7b2c11'
    const answers = await Promise.all(
      [known, never, 'a%2Fb%3Fc%23d'].map(async (id) => {
        const response = await app.post(`/v1/runs/${id}/end`, '', bearer(south))
        return [response.status, await response.json()]
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[2]).toEqual(answers[1])
    expect(answers[0]).toMatchObject([404, { ok: false, error: { code: 'RUN_UNKNOWN' } }])
  })

  it('refuses writes with a key that may only read (case 156)', async () => {
    const tenant = await app.tenant()
    const reader = app.client(await app.key(tenant, { user: 'u1', grants: ['tenant:read'] }))
    const call = reader.call('kv.set', { key: 'k', value: 1 }, { scope: 'tenant' })
    await expect(call).rejects.toMatchObject({ code: 'SCOPE_NOT_GRANTED', status: 403 })
  })
})

describe('owners apart over HTTP', () => {
  let app: App

  beforeAll(async () => {
    app = await openApp()
  })

  afterAll(() => app[Symbol.asyncDispose]())

  it.each(['tenants', 'users'] as const)(
    'answers ids of the other of two %s exactly like ids that do not exist',
    async (kind) => {
      const tenant = await app.tenant()
      const north = app.client(await app.key(tenant, { user: 'north' }))
      const south = app.client(
        await app.key(kind === 'tenants' ? await app.tenant() : tenant, { user: 'south' }),
      )
      const key = 'secret'
      const entry = await north.call('kv.set', { key, value: 'the code is 4417' })
      const source = await north.call('doc.import', {
        path: 'handbook.md',
        content: '# Code\n\nIt is 4417.\n',
      })
      const outline = await north.call('doc.outline', { path: 'handbook.md' })
      const observed = await north.call('observe', {
        conversation: 's-1',
        turns: [{ role: 'user', content: 'my secret is 4417' }],
      })
      const ids = [
        entry.result.entry_id,
        source.result.source_id,
        observed.result.source_id,
        ...(observed.result.turn_ids ?? []),
        ...outline.result.chunks.map(({ chunk_id }) => chunk_id),
      ]
      const missing = 'b8f3c7de-61a2-4c0e-8f5d-0a9b7e6c5d43'
      const never = await south.request({ op: 'get', args: { id: missing } })
      for (const id of ids) {
        const reply = await south.request({ op: 'get', args: { id } })
        expect(JSON.stringify(reply).replaceAll(id, missing)).toBe(JSON.stringify(never))
      }
      for (const args of [{ id: source.result.source_id }, { path: 'handbook.md' }]) {
        expect(await south.request({ op: 'doc.get', args })).toMatchObject({
          error: { code: 'NOT_FOUND' },
        })
        expect(await south.request({ op: 'doc.outline', args })).toMatchObject({
          error: { code: 'NOT_FOUND' },
        })
      }
      expect(await south.request({ op: 'kv.get', args: { key } })).toMatchObject({
        error: { code: 'NOT_FOUND' },
      })
      expect(await south.request({ op: 'kv.history', args: { key } })).not.toMatchObject({
        result: { total: 1 },
      })
      expect((await south.call('list', {})).result).toMatchObject({ records: [], total: 0 })
      expect((await south.call('recall', { query: '4417 secret code' })).result.hits).toEqual([])
      // What south writes under the same names leaves north's as it was.
      await south.call('doc.import', { path: 'handbook.md', content: '# Other\n' })
      await south.call('kv.set', { key, value: 'mine' })
      expect((await north.call('doc.get', { path: 'handbook.md' })).result.content).toContain(
        '4417',
      )
      expect((await north.call('kv.get', { key })).result.value).toBe('the code is 4417')
    },
  )

  it('takes no owner from a caller (case 10)', async () => {
    const tenant = await app.tenant()
    const token = await app.key(tenant, { user: 'u1' })
    const bodies = [
      { op: 'kv.set', tenant: 'south', args: { key: 'k', value: 1 } },
      { op: 'kv.set', args: { key: 'k', value: 1, user_id: 'south' } },
      { op: 'kv.set', args: { key: 'k', value: 1, tenant_id: 'south' } },
      { op: 'kv.batch', args: { entries: [{ op: 'set', key: 'k', value: 1, agent: 'a2' }] } },
    ]
    for (const body of bodies) {
      const response = await app.post('/v1/memory', body, bearer(token))
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { code: 'INPUT_INVALID' } },
      ])
    }
  })
})
