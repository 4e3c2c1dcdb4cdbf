import { describe, expect, it } from 'vitest'

import { chooseRequestId } from '../../../src/http/request-id.ts'

const UUID = /^[0-9a-f-]{36}$/

describe('request ids', () => {
  it('keeps a sane one', () => {
    expect(chooseRequestId('trace-1:a.b_c')).toBe('trace-1:a.b_c')
  })

  it.each([undefined, '', 'a b', 'a\r\nx: y', 'ü', 'x'.repeat(129), ['a', 'b']])(
    'makes one instead of %j',
    (sent) => {
      expect(chooseRequestId(sent)).toMatch(UUID)
    },
  )
})
