import { appendUniqueOperation } from './operations/append-unique.ts'
import { batchOperation } from './operations/batch.ts'
import { deleteOperation } from './operations/delete.ts'
import { getOperation } from './operations/get.ts'
import { historyOperation } from './operations/history.ts'
import { incrOperation } from './operations/incr.ts'
import { listOperation } from './operations/list.ts'
import { mergeOperation } from './operations/merge.ts'
import { pushBoundedOperation } from './operations/push-bounded.ts'
import { setOperation } from './operations/set.ts'

export { purgeKvScope } from './purge-scope.ts'
export { KV_RECORD_SOURCE } from './record-source.ts'
export { sweepExpiredKv } from './sweep-expired.ts'

/** The operations of the key/value plane. */
export const KV_OPERATIONS = [
  setOperation,
  getOperation,
  deleteOperation,
  listOperation,
  incrOperation,
  mergeOperation,
  appendUniqueOperation,
  pushBoundedOperation,
  historyOperation,
  batchOperation,
] as const
