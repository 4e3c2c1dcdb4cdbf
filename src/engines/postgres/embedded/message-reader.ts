/** Larger ones are refused: a client that announces them is broken. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024

/** Cuts what a client sends into messages; a message of many pieces is put together once, when it is whole. */
export class MessageReader {
  #pieces: Buffer[] = []
  #size = 0
  /** The first messages of a connection have no type byte, only a length. */
  #hasType = false

  /** From now on messages start with a type byte. */
  expectTypes(): void {
    this.#hasType = true
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#size += piece.length
  }

  /**
   * The next whole message, or undefined until more comes.
   *
   * @throws RangeError when the announced length is impossible.
   */
  next(): Buffer | undefined {
    const lengthAt = this.#hasType ? 1 : 0
    if (this.#size < lengthAt + 4) return undefined
    if ((this.#pieces[0]?.length ?? 0) < lengthAt + 4) this.#join()
    const total = lengthAt + (this.#pieces[0]?.readInt32BE(lengthAt) ?? 0)
    if (total < lengthAt + 4 || total > MAX_MESSAGE_BYTES) throw new RangeError('message length')
    if (this.#size < total) return undefined
    const whole = this.#join()
    const rest = whole.subarray(total)
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#size = rest.length
    return whole.subarray(0, total)
  }

  #join(): Buffer {
    const [first] = this.#pieces
    const whole =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
    this.#pieces = [whole]
    return whole
  }
}

/** Whether the session is idle, in a transaction, or in one that failed. */
export type SessionStatus = 'I' | 'T' | 'E'

const READY = 'Z'.charCodeAt(0)

/** Reads the last ReadyForQuery out of what the database answers, without keeping any of it. */
export class ReadyScanner {
  status: SessionStatus | undefined
  readonly #header = Buffer.alloc(5)
  #headerSize = 0
  #skip = 0

  push(piece: Buffer): void {
    let at = 0
    while (at < piece.length) {
      if (this.#skip > 0) at += this.#takeBody(piece, at)
      else at += this.#takeHeader(piece, at)
    }
  }

  #takeHeader(piece: Buffer, at: number): number {
    const taken = piece.copy(this.#header, this.#headerSize, at, at + 5 - this.#headerSize)
    this.#headerSize += taken
    if (this.#headerSize === 5) {
      this.#skip = this.#header.readInt32BE(1) - 4
      if (this.#skip === 0) this.#headerSize = 0
    }
    return taken
  }

  #takeBody(piece: Buffer, at: number): number {
    const taken = Math.min(this.#skip, piece.length - at)
    this.#skip -= taken
    if (this.#skip === 0) {
      if (this.#header[0] === READY) {
        this.status = String.fromCharCode(piece[at + taken - 1] ?? 0) as SessionStatus
      }
      this.#headerSize = 0
    }
    return taken
  }
}
