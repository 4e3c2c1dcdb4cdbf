import { expect, it } from 'vitest'

import * as heddle from '../../src/index.ts'

it('keeps the values that programs import', () => {
  expect(Object.keys(heddle).sort()).toEqual([
    'ERRORS',
    'GRANTS',
    'HeddleClient',
    'HeddleError',
    'SCOPE_KINDS',
    'loadConfig',
    'openHeddle',
  ])
})
