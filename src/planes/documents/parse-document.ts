import type { ParsedDocument } from './document.ts'
import type { ParseOptions } from './parse-markdown-document.ts'
import { ParsePool } from './parse-pool.ts'
import type { PlannedText, PlanTask } from './plan-text.ts'

/**
 * UTF-16 code units. Up to there even a text that is made to be slow takes little time; anything longer
 * is parsed in a thread, since no look at a text tells how long its parsing takes.
 */
const INLINE_LENGTH = 1024

const pool = new ParsePool()

/**
 * Takes a Markdown text apart without keeping this thread from serving. Runs outside of any transaction.
 *
 * @throws HeddleError `DOCUMENT_FRONT_MATTER`, `DOCUMENT_TOO_COMPLEX`, `CANCELLED`.
 */
export async function parseDocument(
  text: string,
  signal: AbortSignal,
  options: ParseOptions = {},
): Promise<ParsedDocument> {
  if (text.length < INLINE_LENGTH) {
    await loadParser()
    const { parseMarkdownDocument } = await import('./parse-markdown-document.ts')
    return parseMarkdownDocument(text, options)
  }
  const { parsed } = await pool.run({ text, options }, signal)
  return parsed
}

/** The same, with what a revision of it takes. */
export async function planInThread(task: PlanTask, signal: AbortSignal): Promise<PlannedText> {
  const length = task.text.length + (task.held?.text.length ?? 0)
  if (length >= INLINE_LENGTH) return pool.plan(task, signal)
  await loadParser()
  const { planText } = await import('./plan-text.ts')
  return planText(task)
}

/**
 * Loads the parser with the first short text, so that starting does without it, and in steps: what one
 * import loads also runs at once, and all of it together would hold this thread up for 50 ms.
 */
async function loadParser(): Promise<void> {
  await import('yaml')
  await import('mdast-util-from-markdown')
  await import('micromark-extension-directive')
  await import('remark-gfm')
}
