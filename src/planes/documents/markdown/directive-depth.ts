const FENCE = /^ {0,3}(?:```|~~~)/
const OPENING = /^ {0,3}:{3,}[a-z]/i
const CLOSING = /^ {0,3}:{3,}\s*$/

/**
 * How deeply container directives nest, looking at lines only and passing over fenced code. Cheap, since
 * parsing takes a time that grows with the square of it.
 */
export function directiveDepth(text: string): number {
  let isCode = false
  let depth = 0
  let deepest = 0
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (FENCE.test(line)) isCode = !isCode
    else if (isCode) continue
    else if (OPENING.test(line)) deepest = Math.max(deepest, (depth += 1))
    else if (CLOSING.test(line)) depth = Math.max(0, depth - 1)
  }
  return deepest
}
