import { describe, expect, it } from 'vitest'

import { isOriginAllowed } from '../../../src/mcp/origin-check.ts'

describe('the Origin of a request', () => {
  it.each([
    [undefined, true],
    ['http://localhost:3000', true],
    ['http://127.0.0.1:7077', true],
    ['http://[::1]:7077', true],
    ['https://console.example', true],
    ['https://evil.example', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1.evil.example', false],
    ['null', false],
    ['', false],
  ])('%s: %s', (origin, expected) => {
    const headers = origin === undefined ? {} : { origin }
    expect(isOriginAllowed(headers, { allowedOrigins: ['https://console.example'] })).toBe(expected)
  })
})
