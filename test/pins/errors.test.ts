import { expect, it } from 'vitest'

import { ERRORS } from '../../src/core/errors.ts'

it('keeps every code, status and retry advice that callers rely on', () => {
  const pinned = Object.entries(ERRORS).map(
    ([code, { status, retry }]) => `${code} ${status} ${retry}`,
  )
  expect(pinned).toMatchInlineSnapshot()
})
