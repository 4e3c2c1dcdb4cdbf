import type { Code, Construct, Extension, TokenizeContext } from 'micromark-util-types'

/** By name of a construct of GFM: how what it reads begins. */
const BEGINNINGS: ReadonlyMap<string, RegExp> = new Map([
  ['emailAutolink', /^[\w.+-]+@/],
  ['protocolAutolink', /^https?:\/\//i],
  ['wwwAutolink', /^www\./i],
])

/**
 * The same extension, but its bare addresses are only tried where one begins. Trying one at every word
 * breaks the text around it into as many pieces, which are joined again one by one, in a time that grows
 * with the square of a paragraph: 15 s for one of 30,000 lines instead of one.
 */
export function withQuickAutolinks(extension: Extension): Extension {
  const { text } = extension
  if (text === undefined) return extension
  const quick = Object.entries(text).map(([code, constructs]) => [
    code,
    Array.isArray(constructs) ? constructs.map(toQuick) : constructs && toQuick(constructs),
  ])
  return { ...extension, text: Object.fromEntries(quick) as NonNullable<Extension['text']> }
}

function toQuick(construct: Construct): Construct {
  const beginning = BEGINNINGS.get(construct.name ?? '')
  const { previous } = construct
  if (beginning === undefined || previous === undefined) return construct
  return {
    ...construct,
    previous(this: TokenizeContext, code: Code): boolean {
      return previous.call(this, code) && beginning.test(restOfLine(this))
    },
  }
}

/** What comes next, at most up to the end of the line; no address goes on beyond. */
function restOfLine(context: TokenizeContext): string {
  const start = context.now()
  const end = { ...start, _bufferIndex: Number.POSITIVE_INFINITY }
  const [rest] = context.sliceStream({ start, end })
  return typeof rest === 'string' ? rest : ''
}
