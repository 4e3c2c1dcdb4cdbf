import { canonicalJson } from '../../core/canonical-json.ts'
import { HeddleError } from '../../core/errors.ts'
import type { NewId, SourceId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { appendTurnRevision, hashText, openSource } from '../../evidence/index.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { type ItemInput, putItems } from '../../items/index.ts'
import { insertTurns, type TurnRow } from './sql/insert-turns.ts'
import { selectLastPosition, selectTurnsByKey } from './sql/select-turns.ts'

/** A turn as a caller hands it over. */
export interface GivenTurn {
  readonly role: string
  readonly content: string
  readonly speaker?: string | undefined
  readonly observedAt?: Instant | undefined
  /** The caller's own name of the turn, unique in its conversation. */
  readonly key?: string | undefined
  /** What a tool was given or gave. */
  readonly tool?: unknown
}

export interface ObservedTurns {
  readonly sourceId: SourceId
  readonly revision: number
  readonly added: number
  /** Ids in the order of the given turns, also of those that were there before. */
  readonly turnIds: readonly string[]
  /** Given turns that were forgotten before; they stay forgotten. */
  readonly forgotten: number
}

/** A turn with what identifies it. */
export interface KeyedTurn extends GivenTurn {
  readonly key: string
  readonly hash: string
}

const TOOL_ROLES: ReadonlySet<string> = new Set(['tool', 'function'])

/**
 * Gives every turn a key. One without a key of its own gets one from its contents, its time and how many
 * turns of that call were the same before it: a transcript that is sent again, longer or not, has the
 * keys it had.
 */
export function keyTurns(turns: readonly GivenTurn[]): readonly KeyedTurn[] {
  const seen = new Map<string, number>()
  return turns.map((turn) => {
    const hash = hashText(turn.content)
    if (turn.key !== undefined) return { ...turn, key: `own:${turn.key}`, hash }
    const contents = [
      turn.role,
      turn.speaker ?? null,
      hash,
      turn.tool ?? null,
      turn.observedAt ?? null,
    ]
    const base = hashText(canonicalJson(contents))
    const ordinal = (seen.get(base) ?? 0) + 1
    seen.set(base, ordinal)
    return { ...turn, key: `auto:${base}:${ordinal}`, hash }
  })
}

/**
 * Appends the turns that the conversation does not have yet, as one revision.
 *
 * @throws HeddleError `TURN_CONFLICT` when a key is held with other contents, or given twice with different ones.
 */
export async function appendTurns(
  tx: Transaction,
  scope: ScopeRef,
  newId: NewId,
  conversation: string,
  turns: readonly KeyedTurn[],
): Promise<ObservedTurns> {
  const wanted = {
    sourceId: newId() as SourceId,
    kind: 'conversation',
    name: conversation,
    tags: [],
  } as const
  const source = await openSource(tx, scope, wanted)
  const held = await readHeld(tx, scope, { sourceId: source.sourceId, conversation }, turns)
  const added = takeNew(turns, held, newId)
  const turnIds = turns.map(({ key }) => held.get(key)?.chunkId ?? '')
  const forgotten = turns.filter(({ key }) => held.get(key)?.identity === FORGOTTEN).length
  if (added.length === 0) {
    return { sourceId: source.sourceId, revision: source.revision, added: 0, turnIds, forgotten }
  }
  const length = added.reduce((sum, { turn }) => sum + turn.content.length, 0)
  const revision = await appendTurnRevision(tx, scope, source, length, lastObserved(added))
  const [last] = await tx.query(selectLastPosition(scope, source.sourceId))
  const first = (last?.['position'] as number) + 1
  const rows = added.map(({ turn, chunkId }, index) => toRow(turn, chunkId, first + index))
  await tx.execute(insertTurns(scope, source.sourceId, revision, rows))
  await putItems(
    tx,
    scope,
    added.filter(isRecalled).map((entry) => toItem(entry, source.sourceId, revision)),
  )
  return { sourceId: source.sourceId, revision, added: added.length, turnIds, forgotten }
}

interface HeldTurn {
  readonly chunkId: string
  readonly identity: string
}

/** What a forgotten turn said cannot be compared any more. */
const FORGOTTEN = 'forgotten'

interface NewTurn {
  readonly turn: KeyedTurn
  readonly chunkId: string
}

async function readHeld(
  tx: Transaction,
  scope: ScopeRef,
  conversation: { readonly sourceId: string; readonly conversation: string },
  turns: readonly KeyedTurn[],
): Promise<Map<string, HeldTurn>> {
  const keys = turns.map(({ key }) => key)
  const rows = await tx.query(selectTurnsByKey(scope, conversation, keys))
  return new Map(
    rows.map((row) => {
      const tool = row['tool'] as string | null
      const chunkId = row['chunk_id'] as string
      if (row['is_erased'] === true) {
        return [row['key'] as string, { chunkId, identity: FORGOTTEN }]
      }
      const identity = identify({
        role: row['role'] as string,
        speaker: (row['speaker'] as string | null) ?? undefined,
        hash: row['content_hash'] as string,
        tool: tool === null ? undefined : (JSON.parse(tool) as unknown),
      })
      return [row['key'] as string, { chunkId, identity }]
    }),
  )
}

/** Adds the turns that are new to `held` and returns them. */
function takeNew(
  turns: readonly KeyedTurn[],
  held: Map<string, HeldTurn>,
  newId: NewId,
): readonly NewTurn[] {
  const added: NewTurn[] = []
  turns.forEach((turn, index) => {
    const identity = identify(turn)
    const known = held.get(turn.key)
    if (known === undefined) {
      const chunkId = newId()
      held.set(turn.key, { chunkId, identity })
      added.push({ turn, chunkId })
    } else if (known.identity !== FORGOTTEN && known.identity !== identity) {
      throw new HeddleError('TURN_CONFLICT', { details: { turn: index, turn_id: known.chunkId } })
    }
  })
  return added
}

function identify({
  role,
  speaker,
  hash,
  tool,
}: Pick<KeyedTurn, 'role' | 'speaker' | 'hash' | 'tool'>): string {
  return canonicalJson([role, speaker ?? null, hash, tool ?? null])
}

function lastObserved(added: readonly NewTurn[]): Instant | undefined {
  return added
    .map(({ turn }) => turn.observedAt)
    .filter((instant) => instant !== undefined)
    .sort()
    .at(-1)
}

function toRow(turn: KeyedTurn, chunkId: string, position: number): TurnRow {
  return {
    chunk_id: chunkId,
    position,
    key: turn.key,
    role: turn.role,
    speaker: turn.speaker ?? null,
    content: turn.content,
    content_hash: turn.hash,
    is_tool: isToolTraffic(turn),
    tool: turn.tool ?? null,
    observed_at: turn.observedAt ?? null,
  }
}

/** What a tool said is kept and not recalled; words that came along with a call are somebody's own. */
function isToolTraffic({ role, content }: GivenTurn): boolean {
  return TOOL_ROLES.has(role) || content.trim() === ''
}

function isRecalled({ turn }: NewTurn): boolean {
  return !isToolTraffic(turn)
}

function toItem({ turn, chunkId }: NewTurn, sourceId: string, revision: number): ItemInput {
  return {
    kind: 'turn',
    recordId: chunkId,
    sourceId,
    revision,
    text: turn.content,
    author: turn.speaker ?? turn.role,
    ...(turn.observedAt !== undefined && { observedAt: turn.observedAt }),
  }
}
