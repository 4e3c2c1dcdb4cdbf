/**
 * Lets so many in at once. Those that wait are let in by turns, one of each party after the other, and in
 * order within a party: who asks a thousand times does not stand before who asks once.
 */
export class TurnQueue {
  #free: number
  /** Parties in the order of their turns; the next one first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves when it is the caller's turn; it must `leave` in any case. */
  async enter(party: string): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(party)
      if (waiting === undefined) this.#waiting.set(party, [resolve])
      else waiting.push(resolve)
    })
  }

  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    const [party, [first, ...rest]] = next
    this.#waiting.delete(party)
    // Behind all others that wait.
    if (rest.length > 0) this.#waiting.set(party, rest)
    first?.()
  }
}
