const NEWLINE = 0x0a

/** How much of a line that is too long is kept, from its start and from its end, in bytes: its id may stand there. */
const KEPT_BYTES = 256

/** One line of input: its bytes without the newline, or what is left of one that was too long. */
export type MessageLine =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too-long'; readonly head: Buffer; readonly tail: Buffer }

/**
 * Cuts a stream into lines in linear time, whatever the size of its pieces, and holds no more than
 * one line of `maxBytes`: of a longer one the rest is dropped as it comes.
 */
export class MessageLines {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #size = 0
  #head: Buffer | undefined
  #tail: Buffer = Buffer.alloc(0)

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that end in `chunk`, in order. */
  *push(chunk: Buffer): Generator<MessageLine> {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from)
      if (end < 0) break
      this.#append(chunk.subarray(from, end))
      yield this.#take()
      from = end + 1
    }
    this.#append(chunk.subarray(from))
  }

  #append(piece: Buffer): void {
    if (piece.length === 0) return
    this.#size += piece.length
    if (this.#head !== undefined) {
      this.#tail = lastBytes([this.#tail, piece])
      return
    }
    this.#pieces.push(piece)
    if (this.#size <= this.#maxBytes) return
    this.#head = firstBytes(this.#pieces)
    this.#tail = lastBytes(this.#pieces)
    this.#pieces = []
  }

  #take(): MessageLine {
    const [head, tail] = [this.#head, this.#tail]
    const line: MessageLine =
      head === undefined
        ? { kind: 'whole', bytes: Buffer.concat(this.#pieces) }
        : { kind: 'too-long', head, tail }
    this.#pieces = []
    this.#size = 0
    this.#head = undefined
    this.#tail = Buffer.alloc(0)
    return line
  }
}

/** A copy, so that the piece that it was in can be freed. */
function firstBytes(pieces: readonly Buffer[]): Buffer {
  const kept = pieces.slice(0, KEPT_BYTES).map((piece) => piece.subarray(0, KEPT_BYTES))
  return Buffer.from(Buffer.concat(kept).subarray(0, KEPT_BYTES))
}

function lastBytes(pieces: readonly Buffer[]): Buffer {
  const kept = pieces.slice(-KEPT_BYTES).map((piece) => piece.subarray(-KEPT_BYTES))
  return Buffer.from(Buffer.concat(kept).subarray(-KEPT_BYTES))
}
