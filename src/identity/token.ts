import { createHash, randomBytes } from 'node:crypto'

/** What a token opens: an API key or one run. */
export type TokenKind = 'key' | 'run'

const MARKS = { key: 'hk', run: 'hr' } as const satisfies Record<TokenKind, string>
const SHAPE = /^(hk|hr)_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/

export interface NewToken {
  /** Shown once, to who asked for it. */
  readonly token: string
  /** The first characters, by which people recognise a key; no secret. */
  readonly prefix: string
  /** What is stored. */
  readonly hash: Buffer
}

/** Makes a token of 256 random bits. Plain SHA-256 is enough to store it: there is nothing to guess from. */
export function makeToken(kind: TokenKind): NewToken {
  const prefix = `${MARKS[kind]}_${randomBytes(4).toString('hex')}`
  const token = `${prefix}_${randomBytes(32).toString('base64url')}`
  return { token, prefix, hash: hashToken(token) }
}

/** Cheap look before any database: most wrong tokens do not even have the shape of one. */
export function isTokenShaped(token: string): boolean {
  return SHAPE.test(token)
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest()
}
