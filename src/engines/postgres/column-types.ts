import pg from 'pg'

const { types } = pg
/** As it is: the declared type knows only the built-in scalars. */
const driverParser: (oid: number, format: 'text') => unknown = (oid, format) =>
  Reflect.apply(types.getTypeParser, types, [oid, format])

/** Scalars that JavaScript holds exactly: bool, int2, int4, oid, float4, float8, bytea. */
const EXACT = [16, 21, 23, 26, 700, 701, 17]
/** Arrays of them: bool[], int2[], int4[], float4[], float8[], bytea[]. */
const EXACT_ARRAYS = [1000, 1005, 1007, 1021, 1022, 1001]
const TEXT_ARRAY = 1009
/** Arrays that come as arrays of text: varchar, uuid, int8, numeric, date, timestamp, timestamptz, json, jsonb, name. */
const AS_TEXT_ARRAY = [1015, 2951, 1016, 1231, 1182, 1115, 1185, 199, 3807, 1003]

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  ...[...EXACT, ...EXACT_ARRAYS, TEXT_ARRAY].map((oid) => [oid, parserOf(oid)] as const),
  ...AS_TEXT_ARRAY.map((oid) => [oid, parserOf(TEXT_ARRAY)] as const),
])

function parserOf(oid: number): (text: string) => unknown {
  return driverParser(oid, 'text') as (text: string) => unknown
}

const keepText = (text: string): string => text

/**
 * Column types of this engine's pools: what JavaScript cannot hold exactly stays text. The driver's
 * own parsers would cut timestamps to milliseconds, turn `infinity` into a number and lose the key
 * order of `json`.
 */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? keepText,
}
