import { setImmediate } from 'node:timers/promises'

import { HeddleError } from '../../core/errors.ts'
import type { OperationCall } from '../../operation/call.ts'
import { refuseEdit } from './edit/outline.ts'
import type { Joint } from './edit/pieces.ts'
import { type ExpectedSection, isAsExpected } from './edit/structural-edit.ts'
import { type GivenField, type HeldDocument, toHeldRevision } from './held-document.ts'
import { type PlanContext, planRevision, type RevisionPlan } from './plan-revision.ts'
import type { DocumentPlace } from './store-revision.ts'

type GivenDescription = PlanContext['given']

/** What a document is to become. */
export interface WantedDocument {
  readonly path: string
  readonly text: string
  readonly given: GivenDescription
  /** Bound of a leaf chunk; absent: the default. */
  readonly chunkTokens?: number | undefined
  /** What parsing has to find, when only the structure is edited. */
  readonly sections?: readonly ExpectedSection[]
}

/**
 * Computes a change from what is there; pure, and run again when the document has changed meanwhile. An
 * edit of the structure may be asked a second time for blank lines where parts meet.
 *
 * @throws HeddleError whatever fails the call.
 */
export type Change = (held: HeldDocument | undefined, joint: Joint) => WantedDocument

/** Without a plan the document is already as it should be. */
export type Prepared =
  | { readonly held: HeldDocument; readonly wanted: PlannedDocument; readonly plan?: undefined }
  | {
      readonly held: HeldDocument | undefined
      readonly wanted: PlannedDocument
      readonly plan: RevisionPlan
    }

type PlannedDocument = WantedDocument & DocumentPlace

/**
 * Computes and plans a change, without a transaction unless the caller holds one.
 *
 * @throws HeddleError `DOCUMENT_TOO_LARGE`, `DOCUMENT_TOO_COMPLEX`, `DOCUMENT_FRONT_MATTER`,
 * `DOCUMENT_EDIT_REFUSED`, `CANCELLED`.
 */
export async function prepareRevision(
  {
    identity,
    limits,
    newId,
    signal,
  }: Pick<OperationCall, 'identity' | 'limits' | 'newId' | 'signal'>,
  held: HeldDocument | undefined,
  change: Change,
): Promise<Prepared> {
  for (const joint of ['line', 'blank'] as const) {
    const { chunkTokens, ...rest } = change(held, joint)
    const wanted = {
      ...rest,
      givenFields: givenFieldsOf(rest.given),
      ...(chunkTokens !== undefined && { chunkTokens }),
    }
    assertDocumentSize(wanted.text, limits.documentBytes)
    // Looking through a large text takes a while, and so does comparing it.
    await setImmediate()
    if (held !== undefined && isHeld(held, wanted)) return { held, wanted }
    const plan = await planRevision(
      wanted.text,
      held && toHeldRevision(held),
      {
        newId,
        tenant: identity.tenantId,
        path: wanted.path,
        given: wanted.given,
        sectionIds: wanted.sections?.map(({ chunkId }) => chunkId),
      },
      { ...(chunkTokens !== undefined && { maxTokens: chunkTokens }) },
      signal,
    )
    const { sections } = wanted
    if (sections === undefined || isAsExpected(plan.parsed, sections)) {
      return { held, wanted, plan }
    }
  }
  throw refuseEdit(
    'block_left_open',
    'A block that is left open, such as a code fence, would take in other sections',
  )
}

/** True when there is a revision to write, not only another description. */
export function isNewText(held: HeldDocument | undefined, wanted: WantedDocument): boolean {
  return held?.text !== wanted.text || held.source.chunkTokens !== wanted.chunkTokens
}

/** True when the document is as it is wanted; what is not given may be anything while the text is the same. */
function isHeld(held: HeldDocument, wanted: WantedDocument): boolean {
  const { source } = held
  const {
    title = source.title,
    type = source.type,
    tags = source.tags,
    observedAt = source.observedAt,
  } = wanted.given
  return (
    !isNewText(held, wanted) &&
    wanted.path === source.path &&
    title === source.title &&
    type === source.type &&
    observedAt === source.observedAt &&
    JSON.stringify(tags) === JSON.stringify(source.tags)
  )
}

function givenFieldsOf({ title, type, tags }: GivenDescription): readonly GivenField[] {
  return Object.entries({ title, type, tags })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field as GivenField)
}

function assertDocumentSize(text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text, 'utf8')
  if (bytes > maxBytes)
    throw new HeddleError('DOCUMENT_TOO_LARGE', { details: { bytes, max_bytes: maxBytes } })
}
