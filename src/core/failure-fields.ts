import type { HeddleError } from './errors.ts'
import type { LogFields } from './logger.ts'

/** Deepest cause that is looked at: chains may be circles. */
const MAX_CAUSES = 5
/** A place in the code and nothing else. */
const FRAME = /^ {4}at .+:\d+:\d+\)?$/
const MAX_FRAMES = 20

/**
 * What a log line says about a failure: its code and the class of its cause. An unexpected one also has
 * the id that its caller was told and where in the code it happened. No message gets in: it may quote
 * what is stored.
 */
export function failureFields(error: HeddleError): LogFields {
  const { cause } = error
  return {
    code: error.code,
    ...(cause instanceof Error && { cause: cause.name }),
    ...(error.code === 'INTERNAL' && { error_id: error.id, stack: framesOf(rootOf(error)) }),
  }
}

function rootOf(error: Error): Error {
  let root = error
  for (let depth = 0; depth < MAX_CAUSES && root.cause instanceof Error; depth += 1) {
    root = root.cause
  }
  return root
}

function framesOf({ stack = '', message }: Error): string {
  // The message stands before the frames, and may have lines that look like some.
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim())
    .join('\n')
}
