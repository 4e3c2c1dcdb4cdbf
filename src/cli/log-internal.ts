import type { HeddleError } from '../core/errors.ts'
import { failureFields } from '../core/failure-fields.ts'
import { makeJsonLogger } from '../core/logger.ts'
import type { CliDeps } from './deps.ts'

/** Writes the line that belongs to the id of an unexpected failure; other failures explain themselves. */
export function logInternal(
  { stderr, env }: Pick<CliDeps, 'stderr' | 'env'>,
  error: HeddleError,
): void {
  if (error.code !== 'INTERNAL' || env['HEDDLE_LOG_LEVEL'] === 'silent') return
  const logger = makeJsonLogger('error', (line) => stderr.write(line))
  logger.error('cli.failed', failureFields(error))
}
