import type { Literal } from 'mdast'
import type { CompileContext, Extension as FromMarkdownExtension } from 'mdast-util-from-markdown'
import { normalizeIdentifier } from 'micromark-util-normalize-identifier'
import type {
  Code,
  Construct,
  Effects,
  Extension,
  State,
  TokenizeContext,
  TokenTypeMap as MicromarkTokens,
} from 'micromark-util-types'

/** A name in double brackets: `[[target#anchor|label]]`, after an exclamation mark an embedded one. */
interface WikiLink extends Literal {
  readonly type: 'wikiLink'
  /** The words that a reader sees. */
  value: string
  target: string
  anchor?: string
  /** Absent where the target is its own label. */
  label?: string
  isEmbedded: boolean
}

declare module 'mdast' {
  interface PhrasingContentMap {
    wikiLink: WikiLink
  }
  interface RootContentMap {
    wikiLink: WikiLink
  }
}

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    wikiLink: 'wikiLink'
    wikiLinkAhead: 'wikiLinkAhead'
  }
}

const TOKEN: MicromarkTokens['wikiLink'] = 'wikiLink'
const AHEAD: MicromarkTokens['wikiLinkAhead'] = 'wikiLinkAhead'

const EXCLAMATION_MARK = 33
const QUOTATION_MARK = 34
const APOSTROPHE = 39
const LEFT_PARENTHESIS = 40
const RIGHT_PARENTHESIS = 41
const SPACE = 32
const LEFT_BRACKET = 91
const RIGHT_BRACKET = 93
const CARET = 94

/** Looks ahead at `(url)` or `(url "title")`: then the brackets before it are an ordinary link. */
const resource: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    return open
    function open(code: Code): State | undefined {
      effects.enter(AHEAD)
      effects.consume(code)
      return destination
    }
    function destination(code: Code): State | undefined {
      if (code === RIGHT_PARENTHESIS) return leave(ok)(code)
      if (code === SPACE) return space(code)
      if (code === null || code < 0 || code === LEFT_BRACKET) return leave(nok)(code)
      effects.consume(code)
      return destination
    }
    function space(code: Code): State | undefined {
      if (code === SPACE) {
        effects.consume(code)
        return space
      }
      const isTitle = code === QUOTATION_MARK || code === APOSTROPHE || code === RIGHT_PARENTHESIS
      return leave(isTitle ? ok : nok)(code)
    }
    function leave(end: State): State {
      effects.exit(AHEAD)
      return end
    }
  },
}

/** Goes over one line only and stops at any other bracket, so that a run of brackets is read once. */
const construct: Construct = {
  name: TOKEN,
  tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State) {
    const { parser } = this
    const name: number[] = []
    return start

    function start(code: Code): State | undefined {
      effects.enter(TOKEN)
      effects.consume(code)
      return code === EXCLAMATION_MARK ? first : second
    }
    function first(code: Code): State | undefined {
      if (code !== LEFT_BRACKET) return nok(code)
      effects.consume(code)
      return second
    }
    function second(code: Code): State | undefined {
      if (code !== LEFT_BRACKET) return nok(code)
      effects.consume(code)
      return begin
    }
    // A footnote in brackets of its own is none of ours.
    function begin(code: Code): State | undefined {
      return code === CARET ? nok(code) : inside(code)
    }
    function inside(code: Code): State | undefined {
      if (code === null || code < 0 || code === LEFT_BRACKET) return nok(code)
      effects.consume(code)
      if (code === RIGHT_BRACKET) return close
      name.push(code)
      return inside
    }
    function close(code: Code): State | undefined {
      if (code !== RIGHT_BRACKET || !isName()) return nok(code)
      effects.consume(code)
      effects.exit(TOKEN)
      return after
    }
    function after(code: Code): State | undefined {
      return code === LEFT_PARENTHESIS ? effects.check(resource, nok, ok)(code) : ok(code)
    }
    // What the document defines as a reference is a link of CommonMark in brackets.
    function isName(): boolean {
      const text = name.map((code) => String.fromCharCode(code)).join('')
      if (splitName(text).target === '' && splitName(text).anchor === undefined) return false
      return !parser.defined.includes(normalizeIdentifier(text))
    }
  },
}

/** Wiki links for micromark. */
export const wikiLinkSyntax: Extension = {
  text: { [EXCLAMATION_MARK]: construct, [LEFT_BRACKET]: construct },
}

/** Wiki links for the syntax tree. */
export const wikiLinkFromMarkdown: FromMarkdownExtension = {
  enter: {
    [TOKEN](this: CompileContext, token) {
      const source = this.sliceSerialize(token)
      const isEmbedded = source.startsWith('!')
      const parts = splitName(source.slice(isEmbedded ? 3 : 2, -2))
      const value = parts.label ?? [parts.target, parts.anchor].filter(Boolean).join('#')
      this.enter({ type: TOKEN, value, isEmbedded, ...parts }, token)
    },
  },
  exit: {
    [TOKEN](this: CompileContext, token) {
      this.exit(token)
    },
  },
}

/** `target#anchor|label`; in a table the bar is written `\|`. */
function splitName(text: string): Pick<WikiLink, 'target' | 'anchor' | 'label'> {
  const [, name = '', label] = /^([^|]*?)(?:\\?\|(.*))?$/su.exec(text) ?? []
  const hash = name.indexOf('#')
  const target = (hash < 0 ? name : name.slice(0, hash)).trim()
  const anchor = hash < 0 ? '' : name.slice(hash + 1).trim()
  return {
    target,
    ...(anchor !== '' && { anchor }),
    ...(label !== undefined && label.trim() !== '' && { label: label.trim() }),
  }
}
