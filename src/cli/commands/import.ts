import { type Command, Option } from 'commander'

import { HeddleError, toHeddleError, toWireError } from '../../core/errors.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Heddle } from '../../memory/heddle.ts'
import type { OperationResult } from '../../memory/registry.ts'
import type { MemoryReply } from '../../memory/reply.ts'
import { findDocuments, type FoundDocument } from '../find-documents.ts'
import type { Output } from '../output.ts'
import { startProgress } from '../progress.ts'
import { readText } from '../read-input.ts'
import { type FailedDocument, reportDocuments } from '../report-documents.ts'
import type { Session } from '../session.ts'
import { usageError } from '../usage-error.ts'

const STOPPED = 'Stopped before the end; run it again to go on.'

/** How many documents are read, parsed and stored side by side. */
const CONCURRENCY = 4

interface ImportOptions {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  readonly prefix?: string
  readonly path?: string
  readonly chunkTokens?: number
  readonly scope?: string
}

interface Summary {
  imported: number
  changed: number
  unchanged: number
  readonly failures: FailedDocument[]
}

/** `heddle import`: Markdown files and folders, one `doc.import` each. */
export function addImportCommand(program: Command, session: Session): void {
  const collect = (word: string, before: readonly string[] | undefined) => [...(before ?? []), word]
  const command = program
    .command('import')
    .argument('<path...>', 'files and folders, or - for standard input')
    .description('Import Markdown files and folders; what is unchanged is left alone')
    .addOption(
      new Option('--include <glob>', 'only files that match; repeat it').argParser(collect),
    )
    .addOption(new Option('--exclude <glob>', 'no files that match; repeat it').argParser(collect))
    .option('--prefix <folder>', 'put before every path')
    .option('--path <path>', 'path of what comes from standard input')
    .addOption(
      new Option('--chunk-tokens <number>', 'bound of a chunk, kept for later imports').argParser(
        Number,
      ),
    )
    .option('--scope <kind>', 'whose memory')
  command.action(async (names: readonly string[]) => {
    const options = command.opts<ImportOptions>()
    const documents = await resolveDocuments(names, options)
    if (documents.length === 0) throw nothingFound(names, options)
    const output = session.output(command)
    const summary = await session.withCaller(command, (heddle, identity) =>
      importAll(session, output, heddle, identity, documents, options),
    )
    const { failures, ...counts } = summary
    reportDocuments(session, output, counts, failures, STOPPED)
  })
}

function resolveDocuments(
  names: readonly string[],
  options: ImportOptions,
): Promise<readonly FoundDocument[]> {
  if (!names.includes('-')) {
    if (options.path !== undefined) throw usageError('--path belongs to standard input (-)')
    const { include = [], exclude = [], prefix } = options
    return findDocuments(names, { include, exclude, ...(prefix !== undefined && { prefix }) })
  }
  if (names.length > 1) throw usageError('- cannot be combined with other paths')
  if (options.path === undefined)
    throw usageError('Standard input needs a name: --path notes/today.md')
  return Promise.resolve([{ file: '-', path: options.path }])
}

/** A script that imports nothing should not believe that it did. */
function nothingFound(names: readonly string[], { include, exclude }: ImportOptions): HeddleError {
  const isFiltered = include !== undefined || exclude !== undefined
  const what = isFiltered ? 'file that --include and --exclude let through' : 'Markdown file'
  const message = `There is no ${what} in ${names.join(', ')}`
  return new HeddleError('INPUT_INVALID', {
    message,
    issues: [{ path: ['path'], code: 'no_files', message }],
  })
}

async function importAll(
  session: Session,
  output: Output,
  heddle: Heddle,
  identity: Identity,
  documents: readonly FoundDocument[],
  { scope, chunkTokens }: ImportOptions,
): Promise<Summary> {
  const { signal, stdin, stderr, terminal } = session.deps
  const summary: Summary = { imported: 0, changed: 0, unchanged: 0, failures: [] }
  const progress = startProgress(
    documents.length,
    'Importing',
    stderr,
    terminal.stderr && !output.isJson,
  )
  const waiting = [...documents]
  const work = async (): Promise<void> => {
    for (
      let next = waiting.shift();
      next !== undefined && !signal.aborted;
      next = waiting.shift()
    ) {
      const { file, path } = next
      try {
        const content = await readText(file, stdin)
        const request = {
          op: 'doc.import',
          args: { path, content, ...(chunkTokens !== undefined && { chunk_tokens: chunkTokens }) },
          ...(scope !== undefined && { scope }),
        }
        count(summary, path, await heddle.call(identity, request, { signal }))
      } catch (thrown) {
        count(summary, path, { ok: false, error: toWireError(toHeddleError(thrown)) })
      }
      progress.step()
    }
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  } finally {
    progress.stop()
  }
  return summary
}

function count(summary: Summary, path: string, reply: MemoryReply): void {
  if (!reply.ok) {
    summary.failures.push({ path, error: reply.error })
    return
  }
  const { changed, revision } = reply.result as OperationResult<'doc.import'>
  if (!changed) summary.unchanged += 1
  else if (revision === 1) summary.imported += 1
  else summary.changed += 1
}
