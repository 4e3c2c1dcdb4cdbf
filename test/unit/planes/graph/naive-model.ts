/**
 * What the algebra is compared with: a grid of cells, one per moment of valid time and value, copied
 * whole after every change. It knows no rectangles; a change paints cells. A mark says which stroke
 * of the brush a cell belongs to, so that "the version that holds here" has a meaning.
 */
interface Mark {
  /** A stroke, and what an undo brings back of it. */
  readonly stroke: number
  readonly since: bigint
  /** The values whose place this one took, however long ago. */
  readonly instead: ReadonlySet<string>
}

type Row = (Mark | undefined)[]
type Grid = Map<string, Row>

interface Painted {
  readonly value: string
  readonly mark: Mark
}

export interface ModelRule {
  readonly cardinality: 'one' | 'many'
  readonly onConflict: 'refuse' | 'supersede' | 'contradict'
}

/** A cell of an earlier copy of the grid: whatever was painted there is what the caller has read. */
export interface Pin {
  readonly value: string
  readonly cell: number
  readonly copy: number
}

export interface ModelChange {
  readonly op: 'assert' | 'supersede' | 'correct' | 'end' | 'retract' | 'undo'
  readonly value: string
  readonly target: string | undefined
  readonly from: number
  /** The first cell outside, absent for an open end. */
  readonly to: number | undefined
  readonly fill: boolean
  readonly pin: Pin | undefined
  /** The number of the change to take back. */
  readonly undone: number
}

class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export class NaiveModel {
  readonly copies: { readonly at: bigint; readonly grid: Grid }[] = []
  readonly #changes: { readonly before: Grid; readonly after: Grid }[] = []
  readonly #cells: number
  readonly #rule: ModelRule
  readonly #known = new Set<string>()
  #grid: Grid = new Map()
  #at = 0n
  #strokes = 0

  /** The last cell stands for all time from there on. */
  constructor(cells: number, rule: ModelRule) {
    this.#cells = cells
    this.#rule = rule
    this.copies.push({ at: 0n, grid: new Map() })
  }

  /** Paints a change at a recorded time, or says why not. */
  change(change: ModelChange, at: bigint): string {
    const before = this.#grid
    this.#grid = new Map([...before].map(([value, row]) => [value, [...row]]))
    this.#at = at
    try {
      this.#paint(change)
      const after = new Set(marksOf(this.#grid))
      const removed = marksOf(before).filter((mark) => !after.has(mark))
      if (removed.some(({ since }) => since === at)) throw new Refused('RECORDED_TIME_TOO_EARLY')
    } catch (thrown) {
      this.#grid = before
      if (thrown instanceof Refused) return thrown.code
      throw thrown
    }
    for (const { value } of this.#everything()) this.#known.add(value)
    this.#changes.push({ before, after: this.#grid })
    this.copies.push({ at, grid: this.#grid })
    return 'change'
  }

  get changeCount(): number {
    return this.#changes.length
  }

  pinned({ value, cell, copy }: Pin): Mark | undefined {
    return this.copies[copy]?.grid.get(value)?.[cell]
  }

  #paint(change: ModelChange): void {
    const { op, from, to = this.#cells } = change
    if (op === 'undo') {
      this.#undo(change.undone)
      return
    }
    if (op === 'retract' || op === 'end') {
      this.#takeAway(change)
      return
    }
    if (to < from) throw new Refused('RANGE_REVERSED')
    if (to === from) throw new Refused('RANGE_EMPTY')
    if (op === 'assert') {
      this.#assert(change)
      return
    }
    const met = this.#met(change, from, op === 'supersede' ? from + 1 : to)
    if (met.length === 0 && !(op === 'correct' && change.fill)) throw new Refused('FACT_NOT_HELD')
    if (op === 'supersede') this.#supersede(change, met[0])
    else this.#correct(change, met)
  }

  #assert(change: ModelChange): void {
    const { value, from, to = this.#cells } = change
    const rivals = this.#everything(from, to).filter((painted) => painted.value !== value)
    if (this.#rule.cardinality === 'many' || rivals.length === 0) {
      this.#put(value, (cell) => from <= cell && cell < to, [])
    } else if (this.#rule.onConflict === 'refuse') {
      throw new Refused('FACT_CONFLICT')
    } else if (this.#rule.onConflict === 'supersede') {
      this.#supersede(change, this.#everything(from, from + 1)[0])
    }
  }

  #supersede({ value, from, to }: ModelChange, held: Painted | undefined): void {
    const isSingle = this.#rule.cardinality === 'one'
    const rows = isSingle ? [...this.#grid.values()] : [this.#row(held?.value ?? value)]
    const next = range(from + 1, this.#cells).find((cell) =>
      rows.some((row) => startsAt(row, cell)),
    )
    if (isSingle && to !== undefined && next !== undefined && to > next) {
      throw new Refused('SUPERSEDE_BEYOND_NEXT')
    }
    const end = to ?? next ?? this.#cells
    const isNext = (cell: number): boolean => from <= cell && cell < end
    if (held === undefined) {
      this.#put(value, isNext, [])
      return
    }
    if (held.value !== value) {
      const instead = this.#cut(held, (cell) => cell < from)
      this.#put(value, isNext, [instead])
      return
    }
    const heldEnd = this.#row(value).lastIndexOf(held.mark) + 1
    if (end < heldEnd) this.#cut(held, (cell) => cell < end)
    else this.#put(value, isNext, [])
  }

  #correct({ value, from, to = this.#cells, fill }: ModelChange, met: Painted[]): void {
    const inside = (cell: number): boolean => from <= cell && cell < to
    const held = range(from, to).filter((cell) =>
      met.some((painted) => this.#row(painted.value)[cell] === painted.mark),
    )
    const wrong = met.filter((painted) => painted.value !== value)
    const instead = wrong.map((painted) => this.#cut(painted, (cell) => !inside(cell)))
    this.#put(value, (cell) => (fill ? inside(cell) : held.includes(cell)), instead)
  }

  #takeAway({ op, target, pin, from }: ModelChange): void {
    if (target === undefined || !this.#known.has(target)) throw new Refused('NOT_FOUND')
    let own = this.#everything().filter(({ value }) => value === target)
    if (pin !== undefined) {
      own = own.filter(({ mark }) => mark === this.pinned(pin))
      if (own.length === 0) throw new Refused('VERSION_CHANGED')
    }
    if (op === 'end') own = own.filter(({ mark }) => this.#row(target)[from] === mark)
    if (own.length === 0) throw new Refused('FACT_NOT_HELD')
    if (op === 'end' && startsAt(this.#row(target), from)) throw new Refused('RANGE_EMPTY')
    for (const painted of own) this.#cut(painted, (cell) => op === 'end' && cell < from)
  }

  /** Everything that the change painted must be there as it left it; then its cells change back. */
  #undo(number: number): void {
    const { before, after } = this.#changes[number] ?? { before: new Map(), after: new Map() }
    const strokesBefore = new Set(marksOf(before).map(({ stroke }) => stroke))
    const strokesAfter = new Set(marksOf(after).map(({ stroke }) => stroke))
    const strokesNow = new Set(marksOf(this.#grid).map(({ stroke }) => stroke))
    const isAdded = (mark: Mark): boolean =>
      strokesAfter.has(mark.stroke) && !strokesBefore.has(mark.stroke)
    if (marksOf(after).some((mark) => isAdded(mark) && !strokesNow.has(mark.stroke))) {
      throw new Refused('UNDO_CONFLICT')
    }
    for (const row of this.#grid.values()) {
      for (const [cell, mark] of row.entries()) {
        if (mark !== undefined && isAdded(mark)) row[cell] = undefined
      }
    }
    const taken = new Set(this.#everything().map(({ mark }) => mark))
    const returned = new Map<number, Mark>()
    for (const [value, row] of before as Grid) {
      for (const [cell, mark] of row.entries()) {
        if (mark === undefined || strokesAfter.has(mark.stroke)) continue
        const rows =
          this.#rule.cardinality === 'one' ? [...this.#grid.values()] : [this.#row(value)]
        if (rows.some((other) => other[cell] !== undefined && taken.has(other[cell]))) {
          throw new Refused('UNDO_CONFLICT')
        }
        const again = returned.get(mark.stroke) ?? { ...mark, since: this.#at }
        returned.set(mark.stroke, again)
        this.#row(value)[cell] = again
      }
    }
  }

  /** What a supersede or a correction of these cells is about. */
  #met({ target, pin }: ModelChange, from: number, to: number): Painted[] {
    if (target === undefined && this.#rule.cardinality === 'many') {
      throw new Refused('FACT_NOT_NAMED')
    }
    if (target !== undefined && !this.#known.has(target)) throw new Refused('NOT_FOUND')
    let met = this.#everything(from, to)
    if (this.#rule.cardinality === 'many' && target !== undefined) {
      const own = met.filter(({ value }) => value === target)
      met = own.length > 0 ? own : met.filter(({ mark }) => mark.instead.has(target))
    }
    const isAlone = met.length === 1 && pin !== undefined && met[0]?.mark === this.pinned(pin)
    if (pin !== undefined && !isAlone) throw new Refused('VERSION_CHANGED')
    const marks = new Set(met.map(({ mark }) => mark))
    const rows = [...this.#grid.values()]
    const isCrossed = (cell: number): boolean =>
      rows.filter((row) => row[cell] !== undefined && marks.has(row[cell])).length > 1
    if (range(0, this.#cells).some(isCrossed)) throw new Refused('VERSION_CHANGED')
    return met
  }

  /** Takes cells away from a stroke; each stretch that is left becomes a stroke of its own. */
  #cut({ value, mark }: Painted, keeps: (cell: number) => boolean): Painted & { cells: number[] } {
    const row = this.#row(value)
    const cells = range(0, this.#cells).filter((cell) => row[cell] === mark)
    for (const cell of cells) row[cell] = undefined
    for (const stretch of stretches(cells.filter(keeps))) {
      const left = this.#stroke(mark.instead)
      for (const cell of stretch) row[cell] = left
    }
    return { value, mark, cells }
  }

  /** Paints a value where it is not yet; each stretch is a stroke. */
  #put(
    value: string,
    wants: (cell: number) => boolean,
    replaced: readonly (Painted & { cells: number[] })[],
  ): void {
    const row = this.#row(value)
    const free = range(0, this.#cells).filter((cell) => wants(cell) && row[cell] === undefined)
    for (const stretch of stretches(free)) {
      const under = replaced.filter(({ cells }) => cells.some((cell) => stretch.includes(cell)))
      const instead = under.flatMap((painted) => [painted.value, ...painted.mark.instead])
      const mark = this.#stroke(new Set(instead))
      for (const cell of stretch) row[cell] = mark
    }
  }

  #stroke(instead: ReadonlySet<string>): Mark {
    this.#strokes += 1
    return { stroke: this.#strokes, since: this.#at, instead }
  }

  #row(value: string): Row {
    const row = this.#grid.get(value) ?? new Array<Mark | undefined>(this.#cells).fill(undefined)
    this.#grid.set(value, row)
    return row
  }

  /** Every stroke that has a cell in the range. */
  #everything(from = 0, to = this.#cells): Painted[] {
    return [...this.#grid].flatMap(([value, row]) =>
      [...new Set(row.slice(from, to))].flatMap((mark) =>
        mark === undefined ? [] : [{ value, mark }],
      ),
    )
  }
}

/** The values of one cell of a copy, sorted. */
export function valuesOf(grid: Grid, cell: number): string[] {
  return [...grid].flatMap(([value, row]) => (row[cell] === undefined ? [] : [value])).sort()
}

function marksOf(grid: Grid): Mark[] {
  return [...grid.values()].flatMap((row) => row.filter((mark) => mark !== undefined))
}

function startsAt(row: Row, cell: number): boolean {
  return row[cell] !== undefined && row[cell] !== row[cell - 1]
}

function stretches(cells: readonly number[]): number[][] {
  const found: number[][] = []
  for (const cell of cells) {
    const last = found.at(-1)
    if (last?.at(-1) === cell - 1) last.push(cell)
    else found.push([cell])
  }
  return found
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
