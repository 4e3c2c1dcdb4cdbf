import { canonicalJson } from '../../core/canonical-json.ts'
import { HeddleError } from '../../core/errors.ts'
import { type EntityId } from '../../core/ids.ts'
import { type Instant } from '../../core/instant.ts'

/** What a fact says of its subject: another entity, or a typed value. */
export type FactValue =
  | { readonly type: 'entity'; readonly value: EntityId }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** A calendar day, `YYYY-MM-DD`. */
  | { readonly type: 'date'; readonly value: string }
  | { readonly type: 'instant'; readonly value: Instant }
  | { readonly type: 'json'; readonly value: unknown }

/**
 * A text that is equal for equal values and different for different ones. The type counts (the string
 * `5` is not the number 5); the order of JSON keys, the sign of zero and the spelling of a number do not.
 *
 * @throws HeddleError `VALUE_NOT_FINITE` for NaN and the infinities, also deep inside JSON.
 */
export function valueKey({ type, value }: FactValue): string {
  assertFinite(value)
  return canonicalJson([type, value])
}

function assertFinite(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new HeddleError('VALUE_NOT_FINITE')
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertFinite)
}
