import type { HeddleConfig } from '../config/config.ts'

type Scalar = string | number | boolean

/** Fields whose value is a secret as a whole. */
const SECRETS: ReadonlySet<string> = new Set(['apiKey', 'password'])

const URLS: ReadonlySet<string> = new Set(['url', 'ownerUrl', 'uri'])

/** The configuration as dotted names and values that may be shown: passwords and keys are masked. */
export function maskConfig(config: HeddleConfig): Readonly<Record<string, Scalar>> {
  const shown: Record<string, Scalar> = {}
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // Secrets are not enumerable, but that there is one is worth showing.
      for (const name of Object.getOwnPropertyNames(value)) {
        visit((value as Record<string, unknown>)[name], [...path, name])
      }
      return
    }
    const name = path.at(-1) ?? ''
    shown[path.join('.')] = mask(name, value)
  }
  visit(config, [])
  return shown
}

function mask(name: string, value: unknown): Scalar {
  if (SECRETS.has(name)) return '***'
  if (URLS.has(name)) return maskUrl(String(value))
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

/** A connection URL carries its password, and may carry more of them as parameters. */
function maskUrl(text: string): string {
  if (!URL.canParse(text)) return '***'
  const url = new URL(text)
  if (url.password !== '') url.password = '***'
  for (const name of url.searchParams.keys()) {
    if (/pass|secret|token|key/i.test(name)) url.searchParams.set(name, '***')
  }
  return url.href
}
