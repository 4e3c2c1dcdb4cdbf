import type { Writable } from 'node:stream'

import { createColors } from 'picocolors'

import { type HeddleError, toHeddleError, toWireError, type WireError } from '../core/errors.ts'
import type { MemoryFailure } from '../memory/reply.ts'
import type { CliDeps } from './deps.ts'
import { toPrintable } from './printable.ts'

export type Colours = ReturnType<typeof createColors>

const DEFAULT_COLUMNS = 80
const MIN_COLUMNS = 20
const MAX_COLUMNS = 120

/**
 * What a command says: results on standard output, everything else on standard error. With `--json`
 * standard output gets exactly one line, one JSON object, also when the command fails.
 */
export class Output {
  readonly isJson: boolean
  readonly colours: Colours
  readonly errorColours: Colours
  /** Where to wrap; never when standard output is no terminal: another program reads the lines. */
  readonly columns: number
  readonly isTerminal: boolean
  readonly #stdout: Writable
  readonly #stderr: Writable

  constructor(deps: Pick<CliDeps, 'stdout' | 'stderr' | 'terminal' | 'env'>, isJson: boolean) {
    const { terminal, env } = deps
    this.isJson = isJson
    this.colours = createColors(isColoured(terminal.stdout, env))
    this.errorColours = createColors(isColoured(terminal.stderr, env))
    this.isTerminal = terminal.stdout
    this.columns = terminal.stdout ? widthOf(terminal) : Number.POSITIVE_INFINITY
    this.#stdout = deps.stdout
    this.#stderr = deps.stderr
  }

  /** The result of the command: `value` for machines, `human` for people. */
  result(value: unknown, human: () => string): void {
    const text = this.isJson ? JSON.stringify(value) : human()
    if (text !== '') this.#stdout.write(`${text}\n`)
  }

  /** A remark that is not part of the result. */
  note(line: string): void {
    if (!this.isJson) this.#stderr.write(`${line}\n`)
  }

  failure(failure: MemoryFailure): void {
    if (this.isJson) this.#stdout.write(`${JSON.stringify(failure)}\n`)
    else this.#stderr.write(`${this.#describe(failure.error)}\n`)
  }

  error(thrown: unknown): HeddleError {
    const error = toHeddleError(thrown)
    this.failure({ ok: false, error: toWireError(error) })
    return error
  }

  #describe({ code, message, issues, details, retry }: WireError): string {
    const { red, dim } = this.errorColours
    const lines = [`${red(code)} ${toPrintable(message)}`]
    if (issues.length > 1) {
      for (const issue of issues) {
        lines.push(
          `  ${toPrintable(issue.path.join('.') || '(input)')}: ${toPrintable(issue.message)}`,
        )
      }
    }
    const facts = Object.entries(details).filter(([, value]) => typeof value !== 'object')
    if (facts.length > 0) {
      lines.push(
        dim(
          `  ${facts.map(([name, value]) => `${name}: ${toPrintable(String(value))}`).join(', ')}`,
        ),
      )
    }
    if (RETRY_HINTS[retry] !== undefined) lines.push(dim(`  ${RETRY_HINTS[retry]}`))
    return lines.join('\n')
  }
}

/** A terminal that does not know its size says 0. */
function widthOf({ columns = DEFAULT_COLUMNS }: CliDeps['terminal']): number {
  return columns < MIN_COLUMNS ? DEFAULT_COLUMNS : Math.min(columns, MAX_COLUMNS)
}

const RETRY_HINTS: Readonly<Partial<Record<WireError['retry'], string>>> = {
  'same-call': 'The same command may work now.',
  reread: 'Read the record again, then decide.',
  later: 'Try again later; `heddle doctor` says what does not answer.',
}

/** Colours are for terminals, unless NO_COLOR (https://no-color.org) or a dumb terminal says otherwise. */
export function isColoured(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb'
  return isTerminal && !isRefused
}
