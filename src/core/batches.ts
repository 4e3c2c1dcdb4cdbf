/** What one batch may hold. */
export interface BatchBounds<T> {
  readonly size: number
  /** Of all entries together, as `lengthOf` counts; an entry that is longer is a batch by itself. */
  readonly length?: number
  readonly lengthOf?: (value: T) => number
}

/** Consecutive pieces of a list within the given bounds. */
export function* batches<T>(
  values: readonly T[],
  { size, length: bound = Infinity, lengthOf = () => 0 }: BatchBounds<T>,
): Iterable<readonly T[]> {
  let start = 0
  let length = 0
  for (const [index, value] of values.entries()) {
    const added = lengthOf(value)
    if (index > start && (index - start >= size || length + added > bound)) {
      yield values.slice(start, index)
      start = index
      length = 0
    }
    length += added
  }
  if (start < values.length) yield values.slice(start)
}
