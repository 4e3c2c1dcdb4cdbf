/** A map inside a parameter or a result. Stored properties cannot hold maps; parameters and results can. */
export interface CypherMap {
  readonly [key: string]: CypherValue
}

/**
 * What may be bound to a parameter and what comes back in a record.
 *
 * Integers are `bigint` both ways: Neo4j INTEGER is 64 bits wide, and a JavaScript `number` always
 * arrives as FLOAT, `5` as `5.0`, which is another value and another index key. So ids, counts, times
 * in microseconds and limits are `bigint`; `number` is for what really is a float.
 */
export type CypherValue =
  string | bigint | number | boolean | null | readonly CypherValue[] | CypherMap

/** One row of a result: its columns by name. Statements return values and maps (`fact {.*}`), never nodes. */
export type CypherRecord = Readonly<Record<string, CypherValue>>

/**
 * A named piece of Cypher with its values: built by a pure function, run by a `CypherTransaction`.
 * `name` is `<noun>.<verb_detail>` and appears in errors and logs; `values` are only ever sent as
 * parameters.
 */
export interface CypherStatement {
  readonly name: string
  readonly text: string
  readonly values: CypherMap
}
