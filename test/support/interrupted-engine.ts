import type { PostgresEngine, Transaction } from '../../src/engines/postgres/engine.ts'

/**
 * An engine that calls `before` ahead of every statement of its writing transactions, and once more ahead
 * of the commit, with a number that counts on from 1.
 */
export function makeInterruptedEngine(
  engine: PostgresEngine,
  before: (statement: number, tx: Transaction) => Promise<void>,
): PostgresEngine {
  let statement = 0
  const interrupt = (tx: Transaction): Promise<void> => before((statement += 1), tx)
  const watch = (tx: Transaction): Transaction => ({
    query: async (wanted) => {
      await interrupt(tx)
      return tx.query(wanted)
    },
    execute: async (wanted) => {
      await interrupt(tx)
      return tx.execute(wanted)
    },
  })
  return {
    capabilities: engine.capabilities,
    withTransaction: (access, options, fn) =>
      engine.withTransaction(access, options, async (tx) => {
        if (options.readOnly === true) return fn(tx)
        const result = await fn(watch(tx))
        await interrupt(tx)
        return result
      }),
    withDispatch: (options, fn) => engine.withDispatch(options, fn),
    withOwner: (options, fn) => engine.withOwner(options, fn),
    migrate: (options) => engine.migrate(options),
    health: (options) => engine.health(options),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}
