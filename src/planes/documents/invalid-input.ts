import { HeddleError } from '../../core/errors.ts'

/** What a schema cannot say about fields together. */
export function invalidInput(
  path: readonly (string | number)[],
  code: string,
  message: string,
): HeddleError {
  return new HeddleError('INPUT_INVALID', {
    message: `${path.join('.')}: ${message}`,
    issues: [{ path, code, message }],
  })
}
