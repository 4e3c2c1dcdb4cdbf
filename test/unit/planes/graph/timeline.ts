import {
  type EntityId,
  type FactId,
  type FactVersionId,
  type GraphChangeId,
} from '../../../../src/core/ids.ts'
import { type Micros, OPEN_END } from '../../../../src/core/interval.ts'
import {
  applyChange,
  type ChangeSet,
  type FactChange,
  planChange,
  planUndo,
  type PredicateRule,
  type Refusal,
  type Stamp,
} from '../../../../src/planes/graph/change-set.ts'
import { type FactVersion, isCurrent } from '../../../../src/planes/graph/fact-version.ts'
import { versionsAt } from '../../../../src/planes/graph/read-versions.ts'

export const ONE: PredicateRule = { cardinality: 'one', onConflict: 'refuse' }
export const MANY: PredicateRule = { cardinality: 'many', onConflict: 'refuse' }

/** Changes one after the other, in small numbers of valid time, recorded at 100, 200, 300 … */
export class Timeline {
  versions: readonly FactVersion[] = []
  readonly #rule: PredicateRule
  readonly #subjectId: EntityId
  #at: Micros = 0n
  #ids = 0

  constructor(rule: PredicateRule = ONE, subject = 'ada') {
    this.#rule = rule
    this.#subjectId = subject as EntityId
  }

  /** Tries a change without making it. */
  plan(change: FactChange, recordedAt = this.#at + 100n): ChangeSet | Refusal {
    return planChange(this.#slot(), change, this.#stamp(recordedAt))
  }

  /** Makes a change that must not be refused. */
  do(change: FactChange, recordedAt = this.#at + 100n): ChangeSet {
    return this.#accept(this.plan(change, recordedAt))
  }

  planUndo({ changeId }: ChangeSet, gone: readonly FactVersionId[] = []): ChangeSet | Refusal {
    const ruleOf = (): PredicateRule => this.#rule
    const undo = { undone: changeId, history: this.versions, ruleOf, gone: new Set(gone) }
    return planUndo(undo, this.#stamp(this.#at + 100n))
  }

  undo(change: ChangeSet): ChangeSet {
    return this.#accept(this.planUndo(change))
  }

  assert(valueKey: string, validAt: Micros, invalidAt?: Micros): ChangeSet {
    return this.do({ op: 'assert', valueKey, ...toRange(validAt, invalidAt) })
  }

  supersede(valueKey: string, validAt: Micros, invalidAt?: Micros): ChangeSet {
    return this.do({ op: 'supersede', valueKey, ...toRange(validAt, invalidAt) })
  }

  correct(valueKey: string, validAt: Micros, invalidAt?: Micros): ChangeSet {
    return this.do({ op: 'correct', valueKey, ...toRange(validAt, invalidAt) })
  }

  end(valueKey: string, invalidAt: Micros): ChangeSet {
    return this.do({ op: 'end', factId: this.factId(valueKey), invalidAt })
  }

  retract(valueKey: string): ChangeSet {
    return this.do({ op: 'retract', factId: this.factId(valueKey) })
  }

  /** What is believed, by valid time, such as `oslo [3, 7)`; by default what is believed now. */
  believed(knownAt: Micros = OPEN_END - 1n): string[] {
    const known = this.versions.filter(
      ({ recorded }) => recorded.start <= knownAt && knownAt < recorded.end,
    )
    return known.map(show).sort(byStart)
  }

  /** The values at one point of both axes. */
  at(asOf: Micros, knownAt: Micros = OPEN_END - 1n): string[] {
    return versionsAt(this.versions, { asOf, knownAt }).map(({ valueKey }) => valueKey)
  }

  factId(valueKey: string): FactId {
    return this.#find(({ valueKey: key }) => key === valueKey).factId
  }

  /** The current version of a value that holds at a moment. */
  current(valueKey: string, asOf: Micros): FactVersion {
    return this.#find(
      (version) =>
        isCurrent(version) &&
        version.valueKey === valueKey &&
        version.valid.start <= asOf &&
        asOf < version.valid.end,
    )
  }

  #find(test: (version: FactVersion) => boolean): FactVersion {
    const found = this.versions.find(test)
    if (found === undefined) throw new Error('The test names a version that is not there.')
    return found
  }

  #slot() {
    const [subjectId, rule, history] = [this.#subjectId, this.#rule, this.versions]
    return { subjectId, predicate: 'lives in', rule, history }
  }

  #stamp(recordedAt: Micros): Stamp {
    const newId = (): string => `${this.#subjectId}-${++this.#ids}`
    return { changeId: newId() as GraphChangeId, recordedAt, newId }
  }

  #accept(result: ChangeSet | Refusal): ChangeSet {
    if (result.kind === 'refusal') throw new Error(`Refused: ${result.code}`)
    this.versions = applyChange(this.versions, result)
    this.#at = result.recordedAt
    return result
  }
}

/** A refusal's code and the values of the versions that it names. */
export function refusalOf(result: ChangeSet | Refusal, timeline: Timeline): string[] {
  if (result.kind === 'change') return ['not refused']
  const named = result.versions.map(({ versionId }) =>
    timeline.versions.find((version) => version.versionId === versionId),
  )
  return [result.code, ...named.map((version) => version?.valueKey ?? 'unknown')]
}

export function show({ valueKey, valid }: FactVersion): string {
  return `${valueKey} [${valid.start}, ${valid.end === OPEN_END ? 'open' : valid.end})`
}

function byStart(a: string, b: string): number {
  const start = (text: string): number => Number(/\[(-?\d+)/.exec(text)?.[1])
  return start(a) - start(b) || (a < b ? -1 : 1)
}

function toRange(validAt: Micros, invalidAt: Micros | undefined) {
  return invalidAt === undefined ? { validAt } : { validAt, invalidAt }
}
