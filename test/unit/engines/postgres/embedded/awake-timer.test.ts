import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { startAwakeTimer } from '../../../../../src/engines/postgres/embedded/awake-timer.ts'

describe('a timer of waking time', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is due after its time, once', () => {
    const onDue = vi.fn()
    startAwakeTimer(1_000, onDue)
    vi.advanceTimersByTime(900)
    expect(onDue).not.toHaveBeenCalled()
    vi.advanceTimersByTime(5_000)
    expect(onDue).toHaveBeenCalledTimes(1)
  })

  it('does not count the time in which the process was stopped', () => {
    const onDue = vi.fn()
    startAwakeTimer(1_000, onDue)
    vi.advanceTimersByTime(200)
    // The clock goes on and no timer runs: what a stopped process finds when it wakes up.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000)
    vi.advanceTimersToNextTimer()
    vi.restoreAllMocks()
    expect(onDue).not.toHaveBeenCalled()
  })

  it('is never due when it was stopped', () => {
    const onDue = vi.fn()
    startAwakeTimer(100, onDue)()
    vi.advanceTimersByTime(1_000)
    expect(onDue).not.toHaveBeenCalled()
  })
})
