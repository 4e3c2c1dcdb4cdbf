import { expect, it } from 'vitest'

import { HeddleError, toHeddleError, toWireError } from '../../../src/core/errors.ts'
import { failureFields } from '../../../src/core/failure-fields.ts'

it('ties an unexpected failure to its line, which says where and never what', () => {
  const error = toHeddleError(
    new Error('outer secret', { cause: new TypeError('secret\n    at secret (secret.ts:1:1)') }),
  )
  const { details } = toWireError(error)
  const fields = failureFields(error)
  expect(details).toEqual({ error_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown })
  expect(fields).toMatchObject({ code: 'INTERNAL', error_id: details['error_id'], cause: 'Error' })
  expect(fields['stack']).toMatch(/failure-fields\.test\.ts:\d+:\d+/)
  expect(JSON.stringify(fields)).not.toContain('secret')
})

it('keeps the id that a server gave, and gives none to other failures', () => {
  const relayed = new HeddleError('INTERNAL', { details: { error_id: 'from-the-server' } })
  expect(toWireError(relayed).details).toEqual({ error_id: 'from-the-server' })
  expect(failureFields(relayed)['error_id']).toBe('from-the-server')
  const known = new HeddleError('NOT_FOUND')
  expect(toWireError(known).details).toEqual({})
  expect(failureFields(known)).toEqual({ code: 'NOT_FOUND' })
})
