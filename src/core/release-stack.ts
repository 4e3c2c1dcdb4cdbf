type Release = () => Promise<void> | void

/**
 * Closes what was opened, last in first out. Closing twice is harmless; every release runs even
 * when one fails, and the first failure is thrown at the end. Node 20 has no AsyncDisposableStack.
 */
export class ReleaseStack implements AsyncDisposable {
  #releases: Release[] = []
  #closing: Promise<void> | undefined

  /** Registers `release` to run at close and returns `resource`. */
  add<T>(resource: T, release: (resource: T) => Promise<void> | void): T {
    this.#releases.push(() => release(resource))
    return resource
  }

  close(): Promise<void> {
    this.#closing ??= this.#run()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(): Promise<void> {
    const failures: unknown[] = []
    for (let release = this.#releases.pop(); release; release = this.#releases.pop()) {
      try {
        await release()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
