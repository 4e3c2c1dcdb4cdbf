/** The built program, as people run it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const PROGRAM = fileURLToPath(new URL('../../../dist/app/main.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The environment of a child: nothing of ours but the path, and what is given. */
export function childEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ...env }
}

export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [PROGRAM, ...args], { env: childEnv(env) })
}

/** Runs the program to its end. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin = '',
): Promise<Finished> {
  const child = startProgram(args, env)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.stdin.on('error', () => undefined) // it may end without reading
  child.stdin.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Everything a stream says, as UTF-8; bytes are joined first, so no letter is torn. */
export function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

/** Resolves with the first whole line of a stream. */
export function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const text = collect(stream)
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const end = text().indexOf('\n')
      if (end >= 0) resolve(text().slice(0, end))
    }
    stream.on('data', look)
    stream.on('end', () => {
      reject(new Error('The stream ended before its first line'))
    })
  })
}
