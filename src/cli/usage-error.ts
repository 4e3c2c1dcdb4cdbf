import { HeddleError } from '../core/errors.ts'

/** A command line that cannot be carried out as it was typed. */
export function usageError(message: string): HeddleError {
  return new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: [], code: 'usage', message }],
  })
}
