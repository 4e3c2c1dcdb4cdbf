import type { Command } from 'commander'

import {
  verifyAllTenants,
  verifyEvidence,
  type VerifyProgress,
  type VerifyReport,
} from '../../evidence/index.ts'
import { resolveScopes } from '../../identity/resolve-scopes.ts'
import { makeScopeSet } from '../../identity/scope.ts'
import { readRefusal } from '../../identity/scope-rights.ts'
import type { Output } from '../output.ts'
import { type Progress, startProgress } from '../progress.ts'
import type { Session } from '../session.ts'

/** Faults that people are shown; the rest is counted, and `--json` has more. */
const SHOWN_FAULTS = 20

/**
 * Recomputes the hashes of what is stored: in the scopes that the local identity may read, or with
 * `isEverywhere` in all of the installation.
 */
export async function verifyStored(
  session: Session,
  command: Command,
  output: Output,
  isEverywhere: boolean,
): Promise<VerifyReport> {
  const { signal, stderr, terminal } = session.deps
  const bar = new Bar((total) =>
    startProgress(total, 'Verifying', stderr, terminal.stderr && !output.isJson),
  )
  try {
    if (isEverywhere) {
      return await session.withOperator(command, ({ postgres }) =>
        verifyAllTenants(postgres, { signal, progress: bar }),
      )
    }
    return await session.withCaller(command, async ({ postgres }, identity) => {
      const rows = await resolveScopes(postgres, identity, signal)
      const readable = rows.filter(({ kind }) => readRefusal(identity, kind) === undefined)
      return verifyEvidence(postgres, makeScopeSet(readable), { signal, progress: bar })
    })
  } finally {
    bar.stop()
  }
}

export function renderVerifyReport(report: VerifyReport, { colours }: Output): string {
  const { texts, chunks, turns, evidence, failed, faults, not_readable: unread } = report
  const sign = failed === 0 ? colours.green('✓') : colours.red('✗')
  const unreadable = unread === 0 ? '' : `, ${unread} of it with a source out of reach`
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ table, fault, source_id, revision, id }) => {
    const of = id === undefined ? '' : ` of ${id}`
    return `  ${table}: ${fault}${of} in source ${source_id}, revision ${revision}`
  })
  return [
    colours.bold('Evidence'),
    `${sign} ${texts} texts, ${chunks} chunks, ${turns} turns, ${evidence} pieces of evidence${unreadable}; ${failed} failed`,
    ...shown,
    ...(failed > shown.length
      ? [`  … and ${failed - shown.length} more (--json lists up to 1,000)`]
      : []),
  ].join('\n')
}

/** A bar for each part of the work. */
class Bar implements VerifyProgress {
  readonly #open: (total: number) => Progress
  #progress: Progress | undefined

  constructor(open: (total: number) => Progress) {
    this.#open = open
  }

  start(total: number): void {
    this.stop()
    this.#progress = this.#open(total)
  }

  step(): void {
    this.#progress?.step()
  }

  stop(): void {
    this.#progress?.stop()
    this.#progress = undefined
  }
}
