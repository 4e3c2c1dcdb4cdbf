import { z } from 'zod'

import { invalidInput } from '../../core/invalid-input.ts'

type Path = readonly (string | number)[]

/**
 * A key: not empty, no control characters, no lone surrogates. Taken as it is: nothing is trimmed,
 * folded or normalised, so keys that differ in one code unit are two keys.
 */
export const keySchema = z
  .string()
  .min(1)
  .refine((key) => !/\p{Cc}/u.test(key), { error: 'A key must not contain control characters' })
  .refine((key) => key.isWellFormed(), { error: 'A key must not contain a lone surrogate' })
  .describe('Unicode text without control characters; at most 512 characters by default')

/** @throws HeddleError `INPUT_INVALID` when the key has more than `maxLength` UTF-16 code units. */
export function assertKeyLength(key: string, maxLength: number, path: Path = ['key']): void {
  if (key.length <= maxLength) return
  throw invalidInput(path, 'too_big', `Expected at most ${maxLength} characters`)
}
