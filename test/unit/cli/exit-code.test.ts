import { describe, expect, it } from 'vitest'

import { statusToExitCode } from '../../../src/cli/exit-code.ts'
import { ERRORS } from '../../../src/core/errors.ts'

describe('exit codes', () => {
  it.each([
    [200, 0],
    [201, 0],
    [400, 2],
    [405, 2],
    [413, 2],
    [401, 3],
    [403, 3],
    [404, 4],
    [410, 4],
    [409, 5],
    [503, 6],
    [504, 6],
    [499, 130],
    [500, 1],
  ])('turns status %i into %i', (status, code) => {
    expect(statusToExitCode(status)).toBe(code)
  })

  it('gives every error of the table a code that is not success', () => {
    const codes = Object.values(ERRORS).map(({ status }) => statusToExitCode(status))
    expect(codes.every((code) => code > 0 && code < 256)).toBe(true)
  })
})
