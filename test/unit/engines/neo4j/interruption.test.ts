import { getEventListeners } from 'node:events'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { Interruption } from '../../../../src/engines/neo4j/interruption.ts'
import { retryDelayMs } from '../../../../src/engines/neo4j/retry-delay.ts'

const never = () => new Promise<never>(() => undefined)

describe('Interruption', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('lets work through that ends in time', async () => {
    const interruption = new Interruption({ signal: undefined, timeoutMs: 10 })
    expect(await interruption.race(() => Promise.resolve(1))).toBe(1)
    await expect(interruption.race(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    interruption.dispose()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('turns what the work throws at once into a rejection', async () => {
    const interruption = new Interruption({ signal: undefined, timeoutMs: 10 })
    const work = interruption.race(() => {
      throw new Error('at once')
    })
    await expect(work).rejects.toThrow('at once')
    interruption.dispose()
  })

  it('ends races at the deadline, and starts nothing afterwards', async () => {
    const interruption = new Interruption({ signal: undefined, timeoutMs: 10 })
    const race = interruption.race(never)
    const commit = interruption.raceCommit(never)
    vi.advanceTimersByTime(10)
    await expect(race).rejects.toMatchObject({ reason: 'deadline' })
    await expect(commit).rejects.toMatchObject({ reason: 'deadline' })
    const start = vi.fn(never)
    await expect(interruption.race(start)).rejects.toMatchObject({ reason: 'deadline' })
    expect(start).not.toHaveBeenCalled()
    expect(interruption.remainingMs).toBe(1)
    interruption.dispose()
  })

  it('hears a signal before a commit, not during it', async () => {
    const controller = new AbortController()
    const interruption = new Interruption({ signal: controller.signal, timeoutMs: 10 })
    let finish: (value: string) => void = () => undefined
    const commit = interruption.raceCommit(
      () =>
        new Promise<string>((resolve) => {
          finish = resolve
        }),
    )
    const race = interruption.race(never)
    await Promise.resolve()
    controller.abort()
    await expect(race).rejects.toMatchObject({ reason: 'cancelled' })
    finish('committed')
    expect(await commit).toBe('committed')
    await expect(interruption.raceCommit(() => Promise.resolve())).rejects.toMatchObject({
      reason: 'cancelled',
    })
    interruption.dispose()
  })

  it('still ends a commit at the deadline when a signal came first', async () => {
    const controller = new AbortController()
    const interruption = new Interruption({ signal: controller.signal, timeoutMs: 10 })
    const commit = interruption.raceCommit(never)
    await Promise.resolve()
    controller.abort()
    vi.advanceTimersByTime(10)
    await expect(commit).rejects.toMatchObject({ reason: 'deadline' })
    interruption.dispose()
  })

  it('knows a signal that was aborted before', async () => {
    const interruption = new Interruption({ signal: AbortSignal.abort(), timeoutMs: 10 })
    await expect(interruption.race(never)).rejects.toMatchObject({ reason: 'cancelled' })
    interruption.dispose()
  })

  it('leaves neither listener nor timer behind, also after an interrupted pause', async () => {
    const controller = new AbortController()
    const interruption = new Interruption({ signal: controller.signal, timeoutMs: 60_000 })
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    const pause = interruption.pause(30_000)
    interruption.close()
    await expect(pause).rejects.toMatchObject({ reason: 'closing' })
    interruption.dispose()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('retryDelayMs', () => {
  it('doubles from 50 ms to 2 s and spreads over the upper half', () => {
    expect([1, 2, 3, 6, 7, 50].map((attempt) => retryDelayMs(attempt, 0))).toEqual([
      25, 50, 100, 800, 1_000, 1_000,
    ])
    expect([1, 2, 7, 1_000].map((attempt) => retryDelayMs(attempt, 1))).toEqual([
      50, 100, 2_000, 2_000,
    ])
  })
})
