import { beforeAll, expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { callMemory } from '../../../src/memory/router.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

describeEngines('the router', (engine) => {
  let heddle: ReturnType<typeof makeTestHeddle>
  let north: Identity
  beforeAll(async () => {
    heddle = makeTestHeddle(engine())
    north = await heddle.identity()
  })

  it.each<[string, unknown, string, readonly (string | number)[]]>([
    [
      'an unknown argument',
      { op: 'kv.set', args: { key: 'a', value: 1, vaule: 1 } },
      'unknown_field',
      ['vaule'],
    ],
    [
      'a tenant in the arguments',
      { op: 'kv.set', args: { key: 'a', value: 1, tenant: 'south' } },
      'unknown_field',
      ['tenant'],
    ],
    [
      'an owner in the arguments',
      { op: 'kv.get', args: { key: 'a', user_id: 'u2' } },
      'unknown_field',
      ['user_id'],
    ],
    [
      'an unknown request field',
      { op: 'kv.get', args: { key: 'a' }, tenant: 'south' },
      'unknown_field',
      ['tenant'],
    ],
    [
      'an unknown scope',
      { op: 'kv.get', scope: 'tenants', args: { key: 'a' } },
      'unknown_scope',
      ['scope'],
    ],
    ['arguments that are no JSON', { op: 'kv.get', args: '{key' }, 'invalid_type', ['args']],
    [
      'NUL',
      { op: 'kv.set', args: { key: 'a', value: 'pump\u0000status ok' } },
      'text_nul',
      ['value'],
    ],
    [
      'an integer that is not exact',
      { op: 'kv.set', args: { key: 'a', value: 2 ** 60 } },
      'number_not_exact',
      ['value'],
    ],
  ])('refuses %s, naming path and rule', async (_, request, code, path) => {
    const reply = await callMemory(heddle.deps, north, request, { signal: NEVER })
    expect(reply).toMatchObject({
      ok: false,
      error: { code: 'INPUT_INVALID', retry: 'never', issues: [{ code, path }] },
    })
  })

  it('suggests the nearest field, scope and operation', async () => {
    expect((await heddle.fail(north, 'kv.set', { key: 'a', vaule: 1 })).error.message).toContain(
      '"value"',
    )
    expect((await heddle.fail(north, 'kv.get', { key: 'a' }, 'agnet')).error.message).toContain(
      '"agent"',
    )
    const unknown = await heddle.fail(north, 'kv.gett', { key: 'a' })
    expect(unknown.error).toMatchObject({ code: 'OPERATION_UNKNOWN' })
    expect(unknown.error.message).toContain('"kv.get"')
  })

  it('sends the schema of the operation with bad input', async () => {
    const failure = await heddle.fail(north, 'kv.get', {})
    expect(failure.args_schema).toMatchObject({
      type: 'object',
      required: ['key'],
      additionalProperties: false,
    })
  })

  it.each([
    { op: 'kv.set', key: 'a', value: 1 },
    { op: 'kv.set', args: { value: 1 }, key: 'a' },
    { op: 'recall', query: 'x', scopes: ['agent'] },
  ])('tells where the fields of %j go', async (request) => {
    const reply = await callMemory(heddle.deps, north, request, { signal: NEVER })
    const { op, args: _, ...flat } = request as { op: string; args?: unknown }
    expect(reply).toMatchObject({
      ok: false,
      op,
      error: {
        code: 'INPUT_INVALID',
        issues: Object.keys(flat).map((key) => ({ path: [key], code: 'outside_args' })),
      },
      args_schema: { type: 'object', additionalProperties: false },
    })
    expect(!reply.ok && reply.error.message).toContain('goes into args')
  })

  it('reads arguments that came as JSON text once, and says so', async () => {
    const reply = await heddle.reply(
      north,
      'kv.set',
      JSON.stringify({ key: 'text', value: '{"a":1}' }),
    )
    expect(reply).toMatchObject({ ok: true, notes: [{ code: 'args_were_text' }] })
    expect((await heddle.call(north, 'kv.get', { key: 'text' })).value).toBe('{"a":1}')
  })

  it('names the scopes it used', async () => {
    const user = { ...north, user: 'u1' }
    expect(await heddle.reply(user, 'kv.set', { key: 's', value: 1 })).toMatchObject({
      scopes: ['user'],
    })
    expect(await heddle.reply(user, 'kv.get', { key: 's' })).toMatchObject({
      scopes: ['user', 'agent', 'tenant'],
    })
    const wide = { query: 'x', scopes: ['tenant', 'user', 'tenant'] }
    expect(await heddle.reply(user, 'recall', wide)).toMatchObject({ scopes: ['user', 'tenant'] })
    expect(await heddle.reply(user, 'recall', { query: 'x' })).toMatchObject({
      scopes: ['user', 'agent', 'tenant'],
    })
  })

  it('refuses a scope beside args.scopes that say something else, naming both', async () => {
    const user = { ...north, user: 'u1' }
    for (const scopes of [['user'], ['agent', 'user']]) {
      const { error } = await heddle.fail(user, 'recall', { query: 'x', scopes }, 'agent')
      expect(error).toMatchObject({
        code: 'INPUT_INVALID',
        issues: [
          { path: ['scope'], code: 'scope_contradicted' },
          { path: ['scopes'], code: 'scope_contradicted' },
        ],
      })
      expect(error.message).toContain(`scope is agent, but args.scopes is ${scopes.join(', ')}`)
    }
    const same = await heddle.reply(user, 'recall', { query: 'x', scopes: ['agent'] }, 'agent')
    expect(same).toMatchObject({ ok: true, scopes: ['agent'] })
  })

  it('repeats an answer for the same idempotency key and body, and does the work once', async () => {
    const args = { key: 'counter', by: 2, idempotency_key: 'once' }
    const first = await heddle.reply(north, 'kv.incr', args)
    const again = await heddle.reply(north, 'kv.incr', args)
    expect(first).toMatchObject({ ok: true })
    expect(again).toEqual({
      ...first,
      notes: [expect.objectContaining({ code: 'idempotent_replay' })],
    })
    expect((await heddle.call(north, 'kv.get', { key: 'counter' })).value).toBe(2)
    const other = await heddle.fail(north, 'kv.incr', { ...args, by: 3 })
    expect(other.error.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  it('does the work once when the same key comes twenty times at once', async () => {
    const args = { key: 'burst', idempotency_key: 'burst' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => heddle.reply(north, 'kv.incr', args)),
    )
    expect(
      replies.every((reply) => reply.ok && JSON.stringify(reply.result).includes('"value":1')),
    ).toBe(true)
    expect((await heddle.call(north, 'kv.get', { key: 'burst' })).value).toBe(1)
  })

  it('keeps the keys of scopes, operations and tenants apart', async () => {
    const south = await heddle.identity()
    const args = { key: 'apart', value: 1, idempotency_key: 'same' }
    for (const [identity, scope] of [
      [north, 'agent'],
      [north, 'tenant'],
      [south, 'agent'],
    ] as const) {
      const reply = await heddle.reply(identity, 'kv.set', args, scope)
      expect(reply).toMatchObject({ ok: true, notes: [] })
    }
  })

  it('keeps nothing of a call that failed under its key', async () => {
    const args = { key: 'typed', by: 1, idempotency_key: 'retry' }
    await heddle.call(north, 'kv.set', { key: 'typed', value: 'text' })
    expect((await heddle.fail(north, 'kv.incr', args)).error.code).toBe('KV_TYPE_MISMATCH')
    await heddle.call(north, 'kv.set', { key: 'typed', value: 5 })
    expect((await heddle.call(north, 'kv.incr', args)).value).toBe(6)
  })

  it('stamps the envelope from the identity, on every row', async () => {
    const writer: Identity = {
      ...north,
      agent: 'a7',
      session: 's-7',
      model: 'm-7',
      compactionGeneration: 2,
    }
    await heddle.call(writer, 'kv.set', { key: 'stamped', value: 'x' })
    const found = await heddle.call(writer, 'kv.get', { key: 'stamped' })
    expect(found).toMatchObject({
      provenance: {
        agent: 'a7',
        session: 's-7',
        model: 'm-7',
        compaction_generation: 2,
        origin: 'agent',
      },
    })
  })

  it('shows help for one operation and a list of all', async () => {
    const { operations } = await heddle.call(north, 'help', {})
    expect(operations.map(({ op }) => op)).toEqual(
      expect.arrayContaining(['recall', 'kv.set', 'doc.import', 'help']),
    )
    const one = await heddle.call(north, 'help', { op: 'kv.set' })
    expect(one.operations).toMatchObject([
      { op: 'kv.set', args_schema: { type: 'object' }, example: { op: 'kv.set' } },
    ])
    expect((await heddle.fail(north, 'help', { op: 'kv.sett' })).error.message).toContain(
      '"kv.set"',
    )
  })

  it('lists everything a scope holds, page by page without repeats or gaps, while rows are added', async () => {
    const identity = await heddle.identity()
    for (let n = 0; n < 12; n += 1)
      await heddle.call(identity, 'kv.set', { key: `k${n}`, value: `v${n}` })
    await heddle.call(identity, 'doc.import', {
      path: 'a.md',
      content: '# A\n\nOne.\n\n# B\n\nTwo.\n',
    })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await heddle.call(identity, 'list', {
        limit: 5,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...page.records.map(({ id }) => id))
      cursor = page.next_cursor
      await heddle.call(identity, 'kv.set', { key: `late-${seen.length}`, value: 1 })
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(15)
    for (const id of seen) expect(await heddle.call(identity, 'get', { id })).toMatchObject({ id })
    expect((await heddle.fail(identity, 'list', { cursor: 'bogus' })).error.code).toBe(
      'CURSOR_INVALID',
    )
  })
})
