import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { HeddleError } from '../../../../src/core/errors.ts'
import { SILENT_LOGGER } from '../../../../src/core/logger.ts'
import { Availability } from '../../../../src/engines/neo4j/availability.ts'

/** An availability whose checks end as the test decides. */
function makeAvailability() {
  const state = { failure: undefined as HeddleError | undefined, checks: 0 }
  const events: string[] = []
  const log = (event: string) => {
    events.push(event)
  }
  const availability = new Availability({
    recheckMs: 100,
    logger: { ...SILENT_LOGGER, info: log, warn: log },
    check: async () => {
      state.checks += 1
      await Promise.resolve()
      if (state.failure !== undefined) throw state.failure
    },
  })
  return { availability, state, events }
}

const unreachable = (reason = 'connection') =>
  new HeddleError('ENGINE_UNAVAILABLE', { details: { engine: 'neo4j', reason, neo4jCode: 'x' } })

describe('Availability', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('is down until a check has succeeded', async () => {
    const { availability } = makeAvailability()
    expect(availability.status).toMatchObject({ state: 'down' })
    expect(() => {
      availability.throwIfDown()
    }).toThrow(HeddleError)
    await availability.check()
    expect(availability.status).toEqual({ state: 'up' })
    availability.throwIfDown()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('checks again while down, until it is up, and reports each change once', async () => {
    const { availability, state, events } = makeAvailability()
    state.failure = unreachable()
    await availability.check()
    for (let round = 0; round < 3; round += 1) await vi.advanceTimersByTimeAsync(100)
    expect(state.checks).toBe(4)
    state.failure = undefined
    await vi.advanceTimersByTimeAsync(100)
    expect(availability.status).toEqual({ state: 'up' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.checks).toBe(5)
    expect(events).toEqual(['engine.neo4j_down', 'engine.neo4j_up'])
  })

  it('shares one check among all who ask', async () => {
    const { availability, state } = makeAvailability()
    availability.suspect()
    await Promise.all([availability.check(), availability.check()])
    expect(state.checks).toBe(1)
  })

  it('fails with what the last check found', async () => {
    const { availability, state } = makeAvailability()
    state.failure = new HeddleError('SCHEMA_NEWER', { details: { found: 9 } })
    await availability.check()
    expect(availability.status).toEqual({ state: 'down', code: 'SCHEMA_NEWER' })
    expect(() => {
      availability.throwIfDown()
    }).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_NEWER',
        details: { found: 9, engine: 'neo4j' },
      }) as Error,
    )
    await availability.close()
  })

  it('does not hammer a server with a wrong password', async () => {
    const { availability, state } = makeAvailability()
    state.failure = unreachable('authentication')
    await availability.check()
    await vi.advanceTimersByTimeAsync(2_900)
    expect(state.checks).toBe(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(state.checks).toBe(2)
    await availability.close()
  })

  it('stops when it is closed', async () => {
    const { availability, state } = makeAvailability()
    state.failure = unreachable()
    await availability.check()
    await availability.close()
    availability.suspect()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.checks).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
