import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  type EntityId,
  type FactId,
  type FactVersionId,
  type GraphChangeId,
} from '../../../../src/core/ids.ts'
import { contains, type Micros, OPEN_END, overlaps } from '../../../../src/core/interval.ts'
import {
  applyChange,
  type ChangeSet,
  planChange,
  planUndo,
  type PredicateRule,
  type Refusal,
  type Stamp,
} from '../../../../src/planes/graph/change-set.ts'
import {
  type FactVersion,
  isCurrent,
  type VersionRef,
} from '../../../../src/planes/graph/fact-version.ts'
import { versionsAt } from '../../../../src/planes/graph/read-versions.ts'
import { type ModelChange, NaiveModel, type Pin, valuesOf } from './naive-model.ts'

const CELLS = 9
const VALUES = ['a', 'b', 'c', 'd']
const MOST_CHANGES = 200
const RUNS = 60
const UNDO_RUNS = 15
const CELL_NUMBERS = Array.from({ length: CELLS }, (_, cell) => cell)
const BASE: Micros = 1_700_000_000_000_000n
const SUBJECT = 'subject' as EntityId

const moment = (cell: number): Micros => BASE + BigInt(cell)

const RULES: Record<string, PredicateRule> = {
  'single-valued, refusing conflicts': { cardinality: 'one', onConflict: 'refuse' },
  'single-valued, superseding on conflict': { cardinality: 'one', onConflict: 'supersede' },
  'single-valued, keeping contradictions': { cardinality: 'one', onConflict: 'contradict' },
  'many-valued': { cardinality: 'many', onConflict: 'refuse' },
}

/** One random change; numbers are resolved against what is there when it is made. */
interface Step {
  readonly op: ModelChange['op']
  readonly value: string
  readonly target: { readonly pick: number; readonly isHeld: boolean } | undefined
  readonly from: number
  readonly to: number | undefined
  readonly fill: boolean
  /** How many changes ago the caller read what it names as `if_version`; mostly it names nothing. */
  readonly readBack: number | undefined
  readonly undoBack: number
  /** Whether the recorded time is that of the change before, as an import may give it. */
  readonly isSameInstant: boolean
}

const oneIn = (times: number): fc.Arbitrary<boolean> => fc.nat(times - 1).map((n) => n === 0)

const step: fc.Arbitrary<Step> = fc
  .record({
    op: fc.constantFrom(
      ...([
        'assert',
        'assert',
        'supersede',
        'supersede',
        'correct',
        'end',
        'retract',
        'undo',
      ] as const),
    ),
    value: fc.constantFrom(...VALUES),
    target: fc.option(fc.record({ pick: fc.nat(), isHeld: oneIn(4).map((isOther) => !isOther) }), {
      freq: 12,
      nil: undefined,
    }),
    from: fc.nat(CELLS - 1),
    fill: fc.boolean(),
    readBack: fc.nat(19).map((back) => (back < 3 ? back : undefined)),
    undoBack: fc.oneof(fc.constant(0), fc.nat(3)),
    isSameInstant: oneIn(10),
  })
  .chain((drawn) => end(drawn.from).map((to) => ({ ...drawn, to })))

/** Half of all ranges are open, and one in twelve may be empty or reversed. */
function end(from: number): fc.Arbitrary<number | undefined> {
  const after = fc.integer({ min: from + 1, max: Math.max(from + 1, CELLS - 1) })
  const any = oneIn(12).chain((isAny) => (isAny ? fc.nat(CELLS - 1) : after))
  const isOpen = from === CELLS - 1 ? fc.constant(true) : fc.boolean()
  return isOpen.chain((open) => (open ? fc.constant(undefined) : any))
}

const steps = fc.array(step, { minLength: 1, maxLength: MOST_CHANGES, size: 'max' })

const UNDO_LAST: Step = {
  op: 'undo',
  value: 'a',
  target: undefined,
  from: 0,
  to: undefined,
  fill: false,
  readBack: undefined,
  undoBack: 0,
  isSameInstant: false,
}

/** The algebra and the naive model side by side. */
class Comparison {
  readonly model: NaiveModel
  readonly #rule: PredicateRule
  readonly #changeIds: GraphChangeId[] = []
  versions: readonly FactVersion[] = []
  #ids = 0
  #at: Micros = BASE

  constructor(rule: PredicateRule) {
    this.#rule = rule
    this.model = new NaiveModel(CELLS, rule)
  }

  /** Makes one change on both sides and expects the same outcome. */
  make(step: Step): ChangeSet | Refusal {
    if (!step.isSameInstant) this.#at += 10n
    const change = this.#resolve(step)
    const stamp: Stamp = {
      changeId: this.#newId('change') as GraphChangeId,
      recordedAt: this.#at,
      newId: () => this.#newId('id'),
    }
    const result = this.#plan(change, stamp)
    const outcome = this.model.change(change, this.#at)
    expect(result.kind === 'change' ? 'change' : result.code).toBe(outcome)
    if (result.kind === 'change') this.#accept(result)
    return result
  }

  /** Every point of both axes: at each recorded time, just before it and long after the last. */
  expectSameAnswers(): void {
    for (const [index, { at, grid }] of this.model.copies.entries()) {
      const next = this.model.copies[index + 1]?.at
      if (next === at) continue // the last copy of an instant is what was known at it
      for (const knownAt of [at, next === undefined ? OPEN_END - 1n : next - 1n]) {
        const believed = CELL_NUMBERS.map((cell) => valuesOf(grid, cell))
        const points = [BASE - 1n, ...CELL_NUMBERS.map(moment), OPEN_END - 1n]
        const answers = points.map((asOf) => keysOf(versionsAt(this.versions, { asOf, knownAt })))
        expect(answers).toEqual([[], ...believed, believed.at(-1)])
      }
    }
  }

  /** What is believed now, version by version, without the ids of versions. */
  current(): string[] {
    const shown = this.versions
      .filter(isCurrent)
      .map(({ factId, valid }) => `${factId} ${valid.start} ${valid.end}`)
    return shown.sort()
  }

  #plan(change: ModelChange, stamp: Stamp): ChangeSet | Refusal {
    const { op, value: valueKey } = change
    if (op === 'undo') {
      const undone = this.#changeIds[change.undone] ?? ('none' as GraphChangeId)
      const undo = {
        undone,
        history: this.versions,
        ruleOf: () => this.#rule,
        gone: new Set<never>(),
      }
      return planUndo(undo, stamp)
    }
    const slot = { subjectId: SUBJECT, predicate: 'p', rule: this.#rule, history: this.versions }
    const range = {
      validAt: moment(change.from),
      ...(change.to !== undefined && { invalidAt: moment(change.to) }),
    }
    const ifVersion = change.pin === undefined ? undefined : this.#pinnedId(change.pin)
    const pinned = ifVersion === undefined ? {} : { ifVersion }
    const factId = this.#factIdOf(change.target)
    if (op === 'end') {
      return planChange(slot, { op, factId, invalidAt: moment(change.from), ...pinned }, stamp)
    }
    if (op === 'retract') return planChange(slot, { op, factId, ...pinned }, stamp)
    if (op === 'assert') return planChange(slot, { op, valueKey, ...range }, stamp)
    const address = { ...(change.target !== undefined && { factId }), ...pinned }
    return op === 'supersede'
      ? planChange(slot, { op, valueKey, ...range, ...address }, stamp)
      : planChange(slot, { op, valueKey, ...range, ...address, fill: change.fill }, stamp)
  }

  #accept(changeSet: ChangeSet): void {
    expectSound(changeSet, this.versions)
    const before = this.versions
    this.versions = applyChange(before, changeSet)
    this.#changeIds.push(changeSet.changeId)
    expectHistoryKept(before, this.versions)
    expectNoOverlap(this.versions.filter(isCurrent), this.#rule)
  }

  #resolve(step: Step): ModelChange {
    const { op, value, from, to, fill } = step
    const target = this.#resolveTarget(step)
    const pin = this.#resolvePin(target, step)
    const undone = Math.max(0, this.model.changeCount - 1 - step.undoBack)
    return { op, value, target, from, to, fill, pin, undone }
  }

  /** Mostly a fact that holds where the change starts; a retraction takes any that is believed. */
  #resolveTarget({ op, target, from }: Step): string | undefined {
    if (target === undefined) return op === 'end' || op === 'retract' ? 'unknown' : undefined
    const current = this.versions.filter(isCurrent)
    const held = current.filter(({ valid }) => op === 'retract' || contains(valid, moment(from)))
    const choice = target.isHeld && held.length > 0 ? keysOf(held) : VALUES
    return choice[target.pick % choice.length]
  }

  #resolvePin(value: string | undefined, { from, readBack }: Step): Pin | undefined {
    const { copies } = this.model
    const read = copies[copies.length - 1 - (readBack ?? 0)]
    if (value === undefined || readBack === undefined || read === undefined) return undefined
    const pin = { value, cell: from, copy: copies.findLastIndex(({ at }) => at === read.at) }
    return this.model.pinned(pin) === undefined ? undefined : pin
  }

  #pinnedId({ value, cell, copy }: Pin): FactVersionId | undefined {
    const knownAt = this.model.copies[copy]?.at ?? 0n
    const read = versionsAt(this.versions, { asOf: moment(cell), knownAt })
    return read.find(({ valueKey }) => valueKey === value)?.versionId
  }

  #factIdOf(value: string | undefined): FactId {
    const version = this.versions.find(({ valueKey }) => valueKey === value)
    return version?.factId ?? ('none' as FactId)
  }

  #newId(kind: string): string {
    this.#ids += 1
    return `${kind}-${this.#ids}`
  }
}

const keysOf = (versions: readonly FactVersion[]): string[] =>
  versions.map(({ valueKey }) => valueKey).sort()

/** No rectangle without area, nothing both closed and added, only current versions closed, once. */
function expectSound(changeSet: ChangeSet, before: readonly FactVersion[]): void {
  const { recordedAt, close, add } = changeSet
  const known = new Map(before.map((version) => [version.versionId, version]))
  const isClosable = ({ versionId }: VersionRef): boolean => {
    const version = known.get(versionId)
    return version !== undefined && isCurrent(version) && version.recorded.start < recordedAt
  }
  expect(close.filter((closing) => !isClosable(closing))).toEqual([])
  expect(new Set(close.map(({ versionId }) => versionId)).size).toBe(close.length)
  const isAddable = ({ versionId, valid, recorded, lineage }: FactVersion): boolean =>
    !known.has(versionId) &&
    valid.start < valid.end &&
    recorded.start === recordedAt &&
    recorded.end === OPEN_END &&
    lineage.from.every((id) => known.has(id))
  expect(add.filter((version) => !isAddable(version))).toEqual([])
}

/** Closed versions are the very same values; current ones at most got an end of recorded time. */
function expectHistoryKept(before: readonly FactVersion[], after: readonly FactVersion[]): void {
  const altered = before.filter((version, index) => after[index] !== version)
  expect(altered.filter((version) => !isCurrent(version))).toEqual([])
  const closed = after.slice(0, before.length).filter((version, index) => before[index] !== version)
  const reopened = closed.map(({ closed: _closed, ...version }) => ({
    ...version,
    recorded: { start: version.recorded.start, end: OPEN_END },
  }))
  expect(reopened).toEqual(altered)
}

function expectNoOverlap(current: readonly FactVersion[], { cardinality }: PredicateRule): void {
  const crossing = current.filter((version) =>
    current.some(
      (other) =>
        other !== version &&
        (cardinality === 'one' || version.factId === other.factId) &&
        overlaps(version.valid, other.valid),
    ),
  )
  expect(crossing).toEqual([])
}

describe.each(Object.entries(RULES))(
  'random histories of a predicate that is %s',
  (_name, rule) => {
    it('give the answers of the naive model at every point of both axes', () => {
      const outcomes = new Map<string, number>()
      fc.assert(
        fc.property(steps, (history) => {
          const comparison = new Comparison(rule)
          for (const step of history) {
            const result = comparison.make(step)
            const outcome = `${step.op} ${result.kind === 'change' ? 'done' : result.code}`
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
          }
          comparison.expectSameAnswers()
        }),
        { seed: 20_261_201, numRuns: RUNS },
      )
      expectAllOpsHappened(outcomes)
    })

    it('are exactly as before when the last change is undone, and as after when that is undone', () => {
      fc.assert(
        fc.property(steps, (history) => {
          const comparison = new Comparison(rule)
          for (const step of history) {
            const before = comparison.current()
            if (comparison.make({ ...step, isSameInstant: false }).kind === 'refusal') continue
            const after = comparison.current()
            expect(comparison.make(UNDO_LAST).kind).toBe('change')
            expect(comparison.current()).toEqual(before)
            expect(comparison.make(UNDO_LAST).kind).toBe('change')
            expect(comparison.current()).toEqual(after)
          }
          comparison.expectSameAnswers()
        }),
        { seed: 20_261_202, numRuns: UNDO_RUNS },
      )
    })
  },
)

/** A property that only saw refusals would prove nothing. */
function expectAllOpsHappened(outcomes: ReadonlyMap<string, number>): void {
  for (const op of ['assert', 'supersede', 'correct', 'end', 'retract', 'undo']) {
    expect(outcomes.get(`${op} done`) ?? 0).toBeGreaterThan(RUNS)
  }
}
