import { ERRORS, type WireError } from '../core/errors.ts'
import { EXIT_CODES, statusToExitCode } from './exit-code.ts'
import type { Output } from './output.ts'
import { toPrintable } from './printable.ts'
import type { Session } from './session.ts'

/** A document that the command could not deal with. */
export interface FailedDocument {
  readonly path: string
  readonly error: WireError
}

/**
 * Ends a command that went through many documents: counts, what failed and why, and the exit code of the
 * first failure or of having been stopped. `stopped` is what is said then.
 */
export function reportDocuments(
  session: Session,
  output: Output,
  done: Readonly<Record<string, number>>,
  failures: readonly FailedDocument[],
  stopped: string,
): void {
  const [first] = failures
  const isStopped = session.deps.signal.aborted
  if (first !== undefined) session.exitCode = statusToExitCode(ERRORS[first.error.code].status)
  if (isStopped) session.exitCode = EXIT_CODES.cancelled
  const counts = { ...done, failed: failures.length }
  output.result(
    {
      ok: first === undefined && !isStopped,
      ...counts,
      failures: failures.map(({ path, error: { code, message } }) => ({ path, code, message })),
      ...(first !== undefined && { error: first.error }),
    },
    () =>
      Object.entries(counts)
        .map(([name, number]) => `${number} ${name}`)
        .join(', '),
  )
  for (const { path, error } of failures) {
    output.note(
      `${output.errorColours.red(error.code)} ${toPrintable(path)}: ${toPrintable(error.message)}`,
    )
  }
  if (isStopped) output.note(stopped)
}
