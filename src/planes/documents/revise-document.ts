import { setImmediate } from 'node:timers/promises'

import { HeddleError } from '../../core/errors.ts'
import type { SourceId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { openSource } from '../../evidence/index.ts'
import { getScopeKind, type ScopeRef } from '../../identity/scope.ts'
import type { OperationCall, WriteCall } from '../../operation/call.ts'
import { pathTaken } from './changes.ts'
import { type ChunkCounts, countChunks, countUnchanged } from './count-chunks.ts'
import type { DocumentIssue } from './document.ts'
import { type DocumentName, findDocument } from './find-document.ts'
import {
  type DocumentSource,
  fingerprintOf,
  type HeldDocument,
  readHeldDocument,
  toDocumentSource,
} from './held-document.ts'
import { type Change, isNewText, type Prepared, prepareRevision } from './prepare-revision.ts'
import { lockDocument, selectDocument } from './sql/select-document.ts'
import { storeRevision } from './store-revision.ts'

/** How often a change is planned beside other writers before it is planned while they wait. */
const MAX_FREE_ATTEMPTS = 3
const MAX_ATTEMPTS = 8

export interface RevisedDocument {
  readonly sourceId: SourceId
  readonly path: string
  readonly revision: number
  /** False when the document was already as it should be. */
  readonly changed: boolean
  readonly chunks: ChunkCounts
  readonly issues: readonly DocumentIssue[]
}

type CallBase = OperationCall & Pick<WriteCall<unknown, unknown>, 'target'>
type AnyCall<Output> = CallBase & Pick<WriteCall<unknown, Output>, 'write'>

/**
 * Changes a document of the target scope: reads it, computes and plans the change without a transaction,
 * and writes it in one, under the lock of the document, if it is still as it was read; else all again.
 * After some attempts the change is planned under the lock, so that it comes to its turn. What `change`
 * throws fails the call, unless its idempotency key says that it was done before.
 */
export async function reviseDocument<Output>(
  call: AnyCall<Output>,
  name: DocumentName,
  change: Change,
  toOutput: (revised: RevisedDocument) => Output,
): Promise<Output> {
  for (let attempt = 1; ; attempt += 1) {
    const issues: DocumentIssue[] = []
    const finish = (revised: RevisedDocument): Output => {
      issues.splice(0, Infinity, ...revised.issues)
      return toOutput(revised)
    }
    try {
      const output =
        attempt <= MAX_FREE_ATTEMPTS
          ? await planThenWrite(call, name, change, finish)
          : await call.write(async (tx) => finish(await planUnderLock(tx, call, name, change)))
      noteIssues(call, issues)
      return output
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw new HeddleError('RECORD_CHANGED', { cause: error })
    }
  }
}

/** The document is not as it was when the change was planned. */
class Overtaken extends Error {}

const UNIQUE_VIOLATION = '23505'

/** Also when somebody else took the path in between, which only its index sees. */
function isOvertaken(error: unknown): boolean {
  if (error instanceof Overtaken) return true
  if (!(error instanceof HeddleError)) return false
  const { statement, sqlstate } = error.details
  return statement === 'document.update' && sqlstate === UNIQUE_VIOLATION
}

async function planThenWrite<Output>(
  call: AnyCall<Output>,
  name: DocumentName,
  change: Change,
  finish: (revised: RevisedDocument) => Output,
): Promise<Output> {
  const held = await call.readTransaction((tx) => readHeldDocument(tx, call.target, name))
  // A large text was just decoded and is about to be compared: others get their turn in between.
  await setImmediate()
  let prepared: Prepared | undefined
  let failure: unknown
  try {
    prepared = await prepareRevision(call, held, change)
  } catch (error) {
    failure = held === undefined ? await sayWhere(call, name, error) : error
  }
  // Only in the transaction is it known whether the call was done before, and so must not fail now.
  return call.write(async (tx) => {
    if (prepared === undefined) throw failure
    return finish(await write(tx, call, prepared))
  })
}

async function planUnderLock(
  tx: Transaction,
  call: CallBase,
  name: DocumentName,
  change: Change,
): Promise<RevisedDocument> {
  const found = await readHeldDocument(tx, call.target, name)
  if (found !== undefined) await tx.query(lockDocument(call.target, found.source.sourceId))
  // As it is now that nobody else can change it.
  const held = found && (await readHeldDocument(tx, call.target, name))
  return write(tx, call, await prepareRevision(call, held, change))
}

async function write(
  tx: Transaction,
  { target, newId }: CallBase,
  { held, wanted, plan }: Prepared,
): Promise<RevisedDocument> {
  if (plan === undefined) return toUnchanged(held)
  const source = await lockAsPlanned(tx, target, newId, held, wanted.path)
  if (wanted.path !== source.path) await assertFree(tx, target, wanted.path)
  const isRevised = isNewText(held, wanted)
  const revision = await storeRevision(tx, target, source, wanted, plan, isRevised)
  return {
    sourceId: source.sourceId,
    path: wanted.path,
    revision,
    changed: true,
    chunks: countChunks(held?.chunks ?? [], plan),
    issues: plan.parsed.issues ?? [],
  }
}

function toUnchanged({ source, chunks }: HeldDocument): RevisedDocument {
  const { sourceId, path, revision } = source
  return { sourceId, path, revision, changed: false, chunks: countUnchanged(chunks), issues: [] }
}

async function lockAsPlanned(
  tx: Transaction,
  target: CallBase['target'],
  newId: CallBase['newId'],
  held: HeldDocument | undefined,
  path: string,
): Promise<DocumentSource> {
  if (held === undefined) {
    const wanted = { sourceId: newId() as SourceId, kind: 'document', path, tags: [] } as const
    const made = await openSource(tx, target, wanted)
    if (made.revision !== 0) throw new Overtaken()
    return { ...made, path, givenFields: [] }
  }
  const [row] = await tx.query(lockDocument(target, held.source.sourceId))
  const source = row && toDocumentSource(row)
  if (source === undefined || fingerprintOf(source) !== fingerprintOf(held.source)) {
    throw new Overtaken()
  }
  return source
}

/** @throws HeddleError `PATH_TAKEN`. */
async function assertFree(tx: Transaction, target: ScopeRef, path: string): Promise<void> {
  const [row] = await tx.query(selectDocument(target, { path }))
  if (row !== undefined) throw pathTaken(path, toDocumentSource(row).sourceId)
}

/** A document that is not in the scope that is written to may be in another one that is read. */
async function sayWhere(call: CallBase, name: DocumentName, error: unknown): Promise<unknown> {
  if (!(error instanceof HeddleError) || error.code !== 'NOT_FOUND') return error
  const found = await call.readTransaction((tx) => findDocument(tx, call.read, name))
  if (found === undefined) return error
  const scope = getScopeKind(call.read, found.scopeId)
  return new HeddleError('NOT_FOUND', {
    message: `The document is in scope "${scope}"; name that scope to change it`,
    details: { ...error.details, scope },
  })
}

/** One note for each kind of thing that could not be taken as it was meant. */
function noteIssues(call: Pick<CallBase, 'note'>, issues: readonly DocumentIssue[]): void {
  for (const code of new Set(issues.map((issue) => issue.code))) {
    const [first, ...more] = issues.filter((issue) => issue.code === code)
    if (first === undefined) continue
    const rest =
      more.length === 0
        ? ''
        : `; also in lines ${more
            .slice(0, 9)
            .map(({ line }) => line)
            .join(', ')}`
    call.note(code, `Line ${first.line}: ${first.message}${rest}`)
  }
}
