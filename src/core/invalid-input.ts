import { HeddleError } from './errors.ts'

/** One fault of an input that a schema cannot say, such as of fields together; the message names the path. */
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
