import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'

import type { Command } from 'commander'

import {
  fromWireError,
  HeddleError,
  toHeddleError,
  toWireError,
  type WireError,
} from '../../core/errors.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Heddle } from '../../memory/heddle.ts'
import type { OperationResult } from '../../memory/registry.ts'
import type { MemoryReply } from '../../memory/reply.ts'
import type { Output } from '../output.ts'
import { startProgress } from '../progress.ts'
import { type FailedDocument, reportDocuments } from '../report-documents.ts'
import type { Session } from '../session.ts'
import { usageError } from '../usage-error.ts'

/** Stands for all documents. */
const ALL = '/'

interface ExportOptions {
  readonly out?: string
  readonly revision?: string
  readonly scope?: string
}

interface Exporter {
  readonly session: Session
  readonly output: Output
  readonly options: ExportOptions
  /** Calls an operation with `scope` and `signal` of this command. */
  readonly call: (op: string, args: Record<string, unknown>) => Promise<MemoryReply>
}

/** `heddle export`: the bytes of documents as they were stored, one `doc.export` each. */
export function addExportCommand(program: Command, session: Session): void {
  const command = program
    .command('export')
    .argument('<path...>', 'documents, folders with a slash at their end, or / for all')
    .description('Write documents byte for byte: one to standard output, several into a folder')
    .option('--out <folder>', 'write files below this folder, under the paths of the documents')
    .option('--revision <number>', 'of one document; default: the newest')
    .option('--scope <kind>', 'whose memory')
  command.action(async (names: readonly string[]) => {
    const options = command.opts<ExportOptions>()
    assertOptions(names, options)
    const output = session.output(command)
    await session.withCaller(command, async (heddle, identity) => {
      const exporter = makeExporter(session, output, options, heddle, identity)
      const { out } = options
      if (out === undefined) await exportOne(exporter, names[0] ?? '')
      else await exportAll(exporter, names, resolve(out))
    })
  })
}

function assertOptions(names: readonly string[], { out, revision }: ExportOptions): void {
  const isOne = names.length === 1 && names[0]?.endsWith('/') === false
  if (isOne) return
  if (out === undefined) throw usageError('Several documents need a folder: --out DIR')
  if (revision !== undefined) throw usageError('--revision belongs to one document')
}

function makeExporter(
  session: Session,
  output: Output,
  options: ExportOptions,
  heddle: Heddle,
  identity: Identity,
): Exporter {
  const { signal } = session.deps
  const scope = options.scope === undefined ? {} : { scope: options.scope }
  const call = (op: string, args: Record<string, unknown>) =>
    heddle.call(identity, { op, args, ...scope }, { signal })
  return { session, output, options, call }
}

async function exportOne(exporter: Exporter, path: string): Promise<void> {
  const { session, output } = exporter
  const reply = await readDocument(exporter, path)
  if (!reply.ok || output.isJson) {
    session.report(output, reply, () => '')
    return
  }
  const { content } = reply.result as OperationResult<'doc.export'>
  const { stdout } = session.deps
  await new Promise<void>((done) => stdout.write(Buffer.from(content, 'utf8'), () => done()))
}

function readDocument({ call, options }: Exporter, path: string): Promise<MemoryReply> {
  const { revision } = options
  return call('doc.export', {
    path,
    ...(revision !== undefined && { revision: toNumber(revision) }),
  })
}

async function exportAll(exporter: Exporter, names: readonly string[], out: string): Promise<void> {
  const { session, output } = exporter
  const { stderr, terminal, signal } = session.deps
  const paths = await findPaths(exporter, names)
  const progress = startProgress(
    paths.length,
    'Exporting',
    stderr,
    terminal.stderr && !output.isJson,
  )
  const failures: FailedDocument[] = []
  let exported = 0
  try {
    for (const path of paths) {
      if (signal.aborted) break
      const error = await exportFile(exporter, path, out)
      if (error === undefined) exported += 1
      else failures.push({ path, error })
      progress.step()
    }
  } finally {
    progress.stop()
  }
  reportDocuments(session, output, { exported }, failures, 'Stopped before the end.')
}

/** The documents that were named, each path once: of one path in several scopes the narrowest is exported. */
async function findPaths(exporter: Exporter, names: readonly string[]): Promise<readonly string[]> {
  const paths = new Set<string>()
  for (const name of names) {
    if (!name.endsWith('/')) paths.add(name)
    else for (const path of await findBelow(exporter, name)) paths.add(path)
  }
  return [...paths]
}

async function findBelow({ call }: Exporter, folder: string): Promise<readonly string[]> {
  const paths: string[] = []
  const place = folder === ALL ? {} : { path: folder }
  let cursor: string | undefined
  do {
    const reply = await call('doc.find', { ...place, ...(cursor !== undefined && { cursor }) })
    if (!reply.ok) throw fromWireError(reply.error)
    const found = reply.result as OperationResult<'doc.find'>
    paths.push(...found.documents.flatMap(({ path }) => (path === undefined ? [] : [path])))
    cursor = found.next_cursor
  } while (cursor !== undefined)
  if (paths.length === 0) throw usageError(`There is no document below ${folder}`)
  return paths
}

/** Gives what went wrong with one document; the others go on. */
async function exportFile(
  exporter: Exporter,
  path: string,
  out: string,
): Promise<WireError | undefined> {
  const reply = await readDocument(exporter, path)
  if (!reply.ok) return reply.error
  try {
    const found = reply.result as OperationResult<'doc.export'>
    const file = resolveInside(out, found.path ?? path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, found.content, 'utf8')
    return undefined
  } catch (thrown) {
    return toWireError(toFileError(thrown, path))
  }
}

/** Paths of documents have no `..`; this does not rely on it. */
function resolveInside(folder: string, path: string): string {
  const file = resolve(folder, path)
  const below = relative(folder, file)
  if (below === '' || below.split(sep)[0] === '..' || resolve(below) === below) {
    throw usageError(`${path} would be written outside of the folder`)
  }
  return file
}

function toFileError(thrown: unknown, path: string): HeddleError {
  if (thrown instanceof HeddleError || !(thrown instanceof Error && 'code' in thrown)) {
    return toHeddleError(thrown)
  }
  return usageError(`${path} cannot be written (${String(thrown.code)})`)
}

function toNumber(word: string): number {
  const number = Number(word)
  if (!Number.isInteger(number) || word.trim() === '')
    throw usageError(`${word} is no revision number`)
  return number
}
