import { formatPatch, structuredPatch } from 'diff'

export interface DiffInput {
  /** As the header names the document. */
  readonly path: string
  readonly before: string
  readonly after: string
  /** As the header names the revisions. */
  readonly labels: { readonly before: string; readonly after: string }
  /** Lines shown around a change. */
  readonly context: number
}

export interface DiffLimits {
  /** Milliseconds for finding the smallest difference. */
  readonly timeoutMs: number
  /** Lines added and removed together; a larger difference is not looked for. */
  readonly maxEdits: number
  /** UTF-16 code units of the text; more is cut at the end of a hunk. */
  readonly maxLength: number
}

export interface UnifiedDiff {
  /** Empty when both texts are the same. */
  readonly diff: string
  readonly linesAdded: number
  readonly linesRemoved: number
  /** True when changes at the end were left out. */
  readonly isTruncated: boolean
  /** False when finding the smallest one took too long: then what differs is one block, right but coarse. */
  readonly isMinimal: boolean
}

/** The unified diff of two texts by lines, their ends (`\r\n` too) being part of them. */
export function diffTexts(
  input: DiffInput,
  { timeoutMs, maxEdits, maxLength }: DiffLimits,
): UnifiedDiff {
  const { path, before, after, labels, context } = input
  const found = structuredPatch(path, path, before, after, labels.before, labels.after, {
    context,
    timeout: timeoutMs,
    maxEditLength: maxEdits,
  })
  const patch = found ?? diffCoarsely(input)
  const kept = keepHunks(patch.hunks, maxLength)
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return {
    diff: kept.length === 0 ? '' : formatPatch({ ...patch, hunks: kept }, HEADERS),
    linesAdded: lines.filter((line) => line.startsWith('+')).length,
    linesRemoved: lines.filter((line) => line.startsWith('-')).length,
    isTruncated: lengthOf(kept.flatMap((hunk) => hunk.lines)) < lengthOf(lines),
    isMinimal: found !== undefined,
  }
}

type Patch = NonNullable<ReturnType<typeof structuredPatch>>
type Hunk = Patch['hunks'][number]

const HEADERS = { includeIndex: false, includeUnderline: false, includeFileHeaders: true }

/** Whole hunks as long as they fit, then the beginning of the next, counted anew: what is shown still applies. */
function keepHunks(hunks: readonly Hunk[], maxLength: number): Hunk[] {
  const kept: Hunk[] = []
  let room = maxLength
  for (const hunk of hunks) {
    const fitting = countFitting(hunk.lines, room)
    if (fitting > 0) kept.push(fitting === hunk.lines.length ? hunk : cutHunk(hunk, fitting))
    if (fitting < hunk.lines.length) break
    room -= lengthOf(hunk.lines)
  }
  return kept
}

function countFitting(lines: readonly string[], room: number): number {
  let length = 0
  const end = lines.findIndex((line) => (length += line.length + 1) > room)
  if (end === -1) return lines.length
  // The remark that a line has no end stays with its line.
  return lines[end]?.startsWith('\\') === true ? end - 1 : end
}

function cutHunk(hunk: Hunk, count: number): Hunk {
  const lines = hunk.lines.slice(0, count)
  const having = (...signs: string[]) =>
    lines.filter((line) => signs.includes(line.charAt(0))).length
  return { ...hunk, lines, oldLines: having(' ', '-'), newLines: having(' ', '+') }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** Everything between the lines that both texts begin and end with, as one hunk. */
function diffCoarsely({ path, before, after, labels, context }: DiffInput): Patch {
  const old = toLines(before)
  const now = toLines(after)
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const from = Math.max(0, head - context)
  const shownTail = Math.min(tail, context)
  const oldEnd = old.length - tail
  const nowEnd = now.length - tail
  const lines = [
    ...old.slice(from, head).flatMap((line) => mark(' ', line)),
    ...old.slice(head, oldEnd).flatMap((line) => mark('-', line)),
    ...now.slice(head, nowEnd).flatMap((line) => mark('+', line)),
    ...old.slice(oldEnd, oldEnd + shownTail).flatMap((line) => mark(' ', line)),
  ]
  const hunk = {
    oldStart: from + 1,
    oldLines: oldEnd + shownTail - from,
    newStart: from + 1,
    newLines: nowEnd + shownTail - from,
    lines,
  }
  return {
    oldFileName: path,
    newFileName: path,
    oldHeader: labels.before,
    newHeader: labels.after,
    hunks: lines.length === 0 ? [] : [hunk],
  }
}

/** Lines with their ends. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function mark(sign: ' ' | '-' | '+', line: string): readonly string[] {
  return line.endsWith('\n')
    ? [`${sign}${line.slice(0, -1)}`]
    : [`${sign}${line}`, '\\ No newline at end of file']
}
