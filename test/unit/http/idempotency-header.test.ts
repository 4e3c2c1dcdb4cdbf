import { describe, expect, it } from 'vitest'

import { applyIdempotencyHeader } from '../../../src/http/idempotency-header.ts'

const asHeader = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

describe('the Idempotency-Key header', () => {
  it('becomes an argument of a write', () => {
    const request = { op: 'kv.set', args: { key: 'k', value: 1 } }
    expect(applyIdempotencyHeader(request, 'once')).toEqual({
      op: 'kv.set',
      args: { key: 'k', value: 1, idempotency_key: 'once' },
    })
  })

  it('means the same key as UTF-8 in a body', () => {
    expect(applyIdempotencyHeader({ op: 'kv.set', args: {} }, asHeader('größe/東京 1'))).toEqual({
      op: 'kv.set',
      args: { idempotency_key: 'größe/東京 1' },
    })
  })

  it('may repeat the argument but not contradict it', () => {
    const request = { op: 'kv.set', args: { idempotency_key: 'one' } }
    expect(applyIdempotencyHeader(request, 'one')).toEqual(request)
    expect(() => applyIdempotencyHeader(request, 'two')).toThrow(/another key/)
  })

  it('joins arguments that came as text', () => {
    expect(
      applyIdempotencyHeader({ op: 'kv.set', args: '{"key":"k","__proto__":1}' }, 'once'),
    ).toEqual({
      op: 'kv.set',
      args: '{"key":"k","__proto__":1,"idempotency_key":"once"}',
    })
  })

  it.each([
    { op: 'kv.get', args: { key: 'k' } },
    { op: 'no.such', args: {} },
    { op: 'kv.set', args: [1] },
    { op: 'kv.set', args: 'not json' },
    [],
    null,
    'text',
  ])('leaves %j alone', (request) => {
    expect(applyIdempotencyHeader(request, 'once')).toEqual(request)
  })
})
