/** What may be bound to a parameter. Times go as `Instant` text, JSON as text, binary as Buffer. */
export type StatementValue =
  string | number | boolean | null | Buffer | readonly (string | number | boolean | null)[]

/**
 * A named piece of SQL with its values: built by a pure function, run by a {@link Transaction}.
 * `name` is `<noun>.<verb_detail>` and appears in errors, logs and metrics; it is never sent as
 * the name of a prepared statement (embedded connections share one session).
 */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly StatementValue[]
}
