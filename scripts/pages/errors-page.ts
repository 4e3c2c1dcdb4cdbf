import { statusToExitCode } from '../../src/cli/exit-code.ts'
import { ERRORS } from '../../src/core/error-table.ts'
import { generatedHeader, markdownTable } from './markdown.ts'

const ADVICE = [
  ['never', 'The same call will fail again: change it.'],
  ['same-call', 'Briefly refused: send the same call again.'],
  ['reread', 'Something changed meanwhile: read again, decide again.'],
  ['later', 'Not now: send the same call again after a while.'],
]

export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, retry, summary }]) => [
    `\`${code}\``,
    String(status),
    String(statusToExitCode(status)),
    retry,
    summary,
  ])
  return `${generatedHeader('Errors', '`src/core/error-table.ts`')}
Every failure has one of these codes, on every surface. Codes are never reused. A failed reply is
\`{"ok": false, "error": {"code", "message", "retry", "issues": [{"path", "code", "message"}], "details"}}\`;
for bad input it also carries \`args_schema\`, the JSON Schema of the operation's arguments. Neither messages
nor details ever carry memory contents.

${markdownTable(['retry', 'what to do'], ADVICE)}

${markdownTable(['code', 'HTTP status', 'exit code', 'retry', 'meaning'], rows)}
`
}
