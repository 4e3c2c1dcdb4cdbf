import { describe, expect, it } from 'vitest'

import { loadConfig } from '../../../src/config/load-config.ts'
import { HeddleError, toWireError } from '../../../src/core/errors.ts'
import type { RunId, TenantId } from '../../../src/core/ids.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { LocalCaller } from '../../../src/mcp/local-caller.ts'
import type { Heddle } from '../../../src/memory/heddle.ts'

const NEVER = new AbortController().signal

/** Only what the caller uses of a Heddle; the runs it opens end when the test says so. */
function makeHeddle(env: Record<string, string> = {}) {
  const ended = new Set<string>()
  const calls: string[] = []
  let opened = 0
  let failures = 0
  const heddle = {
    config: loadConfig(env),
    openLocalIdentity: (): Promise<Identity> => {
      if (failures > 0) {
        failures -= 1
        return Promise.reject(new HeddleError('ENGINE_UNAVAILABLE'))
      }
      opened += 1
      return Promise.resolve({
        tenantId: 't' as TenantId,
        tenant: 'north',
        agent: 'a1',
        runId: `run-${opened}` as RunId,
        role: 'agent',
        grants: [],
        isolated: false,
      })
    },
    endLocalRun: ({ runId }: Identity): Promise<void> => {
      ended.add(String(runId))
      return Promise.resolve()
    },
    call: ({ runId }: Identity) => {
      calls.push(String(runId))
      return Promise.resolve(
        ended.has(String(runId))
          ? { ok: false, error: toWireError(new HeddleError('RUN_ENDED')) }
          : { ok: true, op: 'list', scopes: [], result: {}, notes: [] },
      )
    },
  } as unknown as Heddle
  return { heddle, ended, calls, failNext: (times: number) => (failures = times) }
}

describe('the caller of a local process', () => {
  it('opens one run for all calls and ends it at close', async () => {
    const { heddle, calls, ended } = makeHeddle()
    const caller = new LocalCaller(heddle)
    await Promise.all(
      [1, 2, 3].map(async () => caller.call(await caller.identity(NEVER), {}, { signal: NEVER })),
    )
    await caller.close(NEVER)
    expect(calls).toEqual(['run-1', 'run-1', 'run-1'])
    expect([...ended]).toEqual(['run-1'])
  })

  it('goes on under a new run when its own has expired, opened once for all', async () => {
    const { heddle, calls, ended } = makeHeddle()
    const caller = new LocalCaller(heddle)
    const identity = await caller.identity(NEVER)
    ended.add('run-1')
    const replies = await Promise.all(
      [1, 2].map(() => caller.call(identity, {}, { signal: NEVER })),
    )
    expect(replies.map(({ ok }) => ok)).toEqual([true, true])
    expect(calls).toEqual(['run-1', 'run-1', 'run-2', 'run-2'])
  })

  it('tries again after an opening that failed', async () => {
    const { heddle, failNext } = makeHeddle()
    failNext(1)
    const caller = new LocalCaller(heddle)
    await expect(caller.identity(NEVER)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    expect((await caller.identity(NEVER)).runId).toBe('run-1')
  })

  it('leaves the run of a token to the platform that opened it', async () => {
    const { heddle, ended } = makeHeddle({ HEDDLE_API_KEY: 'hr_token' })
    const caller = new LocalCaller(heddle)
    const identity = await caller.identity(NEVER)
    await caller.close(NEVER)
    expect([...ended]).toEqual([])
    ended.add('run-1')
    expect(await caller.call(identity, {}, { signal: NEVER })).toMatchObject({
      error: { code: 'RUN_ENDED' },
    })
  })

  it('lets one call give up waiting without ending the opening for the others', async () => {
    const { heddle } = makeHeddle()
    const caller = new LocalCaller(heddle)
    const gaveUp = caller.identity(AbortSignal.abort())
    const waited = caller.identity(NEVER)
    await expect(gaveUp).rejects.toMatchObject({ code: 'CANCELLED' })
    expect((await waited).runId).toBe('run-1')
  })
})
