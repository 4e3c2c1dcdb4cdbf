import type { Row, Transaction } from '../engines/postgres/engine.ts'
import type { ScopeSet } from '../identity/scope.ts'
import { quoteOf, type Span } from './span.ts'
import { type LeafPlace, selectLeavesAround, selectTurnsAround } from './sql/select-context.ts'
import { countTokens } from './tokens.ts'

/** Tokens of context that `get` gives unless told otherwise, and at most. */
export const DEFAULT_CONTEXT_TOKENS = 600
export const MAX_CONTEXT_TOKENS = 20_000

/** Parts that are looked at on each side. */
const MAX_PARTS = 100

/** A leaf chunk or turn near a record. */
interface NearPart {
  readonly chunk_id: string
  /** In the text of the revision; absent of turns, whose spans count inside them. */
  readonly span?: Span
  readonly role?: string
  readonly speaker?: string
  readonly quote: string
  readonly tokens: number
}

export interface Surroundings {
  /** The part right before, whether or not the budget reaches it. */
  readonly previous_id?: string
  readonly next_id?: string
  /** Absent when the budget is 0. */
  readonly context?: {
    readonly tokens: number
    /** True when the document goes on beyond what is shown. */
    readonly truncated: boolean
    /** In the order of the document; whole parts only. */
    readonly before: readonly NearPart[]
    /** What the place lies in, when that is asked for. */
    readonly around?: readonly NearPart[]
    readonly after: readonly NearPart[]
  }
}

/**
 * The leaves around a place of a revision, nearest first until the next one does not fit the budget.
 * With `withPlace` the leaves that the place lies in come first.
 */
export async function readLeafSurroundings(
  tx: Transaction,
  read: ScopeSet,
  place: LeafPlace,
  text: string,
  options: { readonly budgetTokens: number; readonly withPlace: boolean },
): Promise<Surroundings> {
  const rows = await tx.query(selectLeavesAround(read, place, MAX_PARTS))
  const parts = rows.map((row) => ({ side: row['side'] as number, part: toLeaf(row, text) }))
  return surround(parts, options)
}

/** The turns around one, nearest first until the next one does not fit the budget. */
export async function readTurnSurroundings(
  tx: Transaction,
  read: ScopeSet,
  turn: { readonly sourceId: string; readonly position: number },
  budgetTokens: number,
): Promise<Surroundings> {
  const rows = await tx.query(selectTurnsAround(read, turn.sourceId, turn.position, MAX_PARTS))
  const parts = rows.map((row) => ({ side: row['side'] as number, part: toTurn(row) }))
  return surround(parts, { budgetTokens, withPlace: false })
}

interface SidedPart {
  /** -1 before the place, 0 in it, 1 after it. */
  readonly side: number
  readonly part: NearPart
}

function surround(
  parts: readonly SidedPart[],
  { budgetTokens, withPlace }: { readonly budgetTokens: number; readonly withPlace: boolean },
): Surroundings {
  const on = (wanted: number): NearPart[] =>
    parts.filter(({ side }) => side === wanted).map(({ part }) => part)
  const [before, place, after] = [on(-1), withPlace ? on(0) : [], on(1)]
  const [previous] = before
  const [next] = after
  const ids = {
    ...(previous !== undefined && { previous_id: previous.chunk_id }),
    ...(next !== undefined && { next_id: next.chunk_id }),
  }
  if (budgetTokens === 0) return ids
  const fit = new Fit(budgetTokens)
  const around = fit.take(place)
  const reached = place.length === around.length ? fit.takeBoth(before, after) : NOTHING
  const isAll =
    place.length === around.length &&
    reached.before.length === before.length &&
    reached.after.length === after.length &&
    Math.max(before.length, after.length) < MAX_PARTS
  return {
    ...ids,
    context: {
      tokens: fit.used,
      truncated: !isAll,
      before: reached.before.toReversed(),
      ...(withPlace && { around }),
      after: reached.after,
    },
  }
}

const NOTHING = { before: [] as readonly NearPart[], after: [] as readonly NearPart[] }

class Fit {
  readonly #budget: number
  used = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** The parts from the first on that fit. */
  take(parts: readonly NearPart[]): readonly NearPart[] {
    const end = parts.findIndex((part) => !this.#fits(part))
    return end < 0 ? parts : parts.slice(0, end)
  }

  /** By distance, one before and one after in turn; a side ends at its first part that does not fit. */
  takeBoth(before: readonly NearPart[], after: readonly NearPart[]): typeof NOTHING {
    let [left, right] = [0, 0]
    let [isLeft, isRight] = [true, true]
    while (isLeft || isRight) {
      if (isLeft && (isLeft = this.#fits(before[left]))) left += 1
      if (isRight && (isRight = this.#fits(after[right]))) right += 1
    }
    return { before: before.slice(0, left), after: after.slice(0, right) }
  }

  #fits(part: NearPart | undefined): boolean {
    if (part === undefined || this.used + part.tokens > this.#budget) return false
    this.used += part.tokens
    return true
  }
}

function toLeaf(row: Row, text: string): NearPart {
  const span = { start: row['quote_start'] as number, end: row['quote_end'] as number }
  return {
    chunk_id: row['chunk_id'] as string,
    span,
    quote: quoteOf(text, span),
    tokens: row['token_count'] as number,
  }
}

function toTurn(row: Row): NearPart {
  const speaker = row['speaker'] as string | null
  const quote = row['content'] as string
  return {
    chunk_id: row['chunk_id'] as string,
    role: row['role'] as string,
    ...(speaker !== null && { speaker }),
    quote,
    tokens: countTokens(quote),
  }
}
