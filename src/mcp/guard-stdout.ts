import { Writable } from 'node:stream'

export interface GuardedStdout {
  /** The only way to the real standard output from now on. */
  readonly protocol: Writable
  /** Gives standard output back. */
  readonly restore: () => void
}

/**
 * Keeps standard output for the protocol: whatever else this process writes there, `console` and
 * chatty libraries included, goes to standard error. One stray line would break the client's parser.
 */
export function guardStdout(
  stdout: NodeJS.WriteStream = process.stdout,
  stderr: NodeJS.WriteStream = process.stderr,
): GuardedStdout {
  const toStdout = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const protocol = new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => {
      toStdout(chunk, (error) => done(error ?? null))
    },
  })
  return {
    protocol,
    restore: () => {
      stdout.write = toStdout
    },
  }
}
