import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'

import { describe, expect, it } from 'vitest'

import { CallTracker } from '../../../src/http/call-tracker.ts'

/** Only the two things of a response that the tracker looks at. */
function makeResponse() {
  const response = Object.assign(new EventEmitter(), { writableFinished: false })
  return {
    response: response as unknown as ServerResponse,
    finish: () => {
      response.writableFinished = true
      response.emit('finish')
      response.emit('close')
    },
    cut: () => response.emit('close'),
  }
}

describe('requests in flight', () => {
  it('aborts the call of a client that went away', () => {
    const tracker = new CallTracker()
    const { response, cut } = makeResponse()
    const { signal } = tracker.begin(response)
    expect([signal.aborted, tracker.size]).toEqual([false, 1])
    cut()
    expect([signal.aborted, tracker.size]).toEqual([true, 0])
  })

  it('does not abort what was answered', () => {
    const tracker = new CallTracker()
    const { response, finish } = makeResponse()
    const { signal } = tracker.begin(response)
    finish()
    expect([signal.aborted, tracker.size]).toEqual([false, 0])
  })

  it('drains when the last one is answered, without aborting it', async () => {
    const tracker = new CallTracker()
    const { response, finish } = makeResponse()
    const { signal } = tracker.begin(response)
    const drained = tracker.drain(60_000)
    expect(tracker.isDraining).toBe(true)
    finish()
    await drained
    expect(signal.aborted).toBe(false)
  })

  it('aborts those that outlast the limit and waits for their end', async () => {
    const tracker = new CallTracker()
    const { response, finish } = makeResponse()
    const { signal } = tracker.begin(response)
    signal.addEventListener('abort', finish)
    await tracker.drain(1)
    expect([signal.aborted, tracker.size]).toEqual([true, 0])
  })
})
