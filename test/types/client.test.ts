import { expectTypeOf, it } from 'vitest'

import type {
  HeddleClient,
  OperationArgs,
  OperationName,
  OperationResult,
} from '../../src/index.ts'

it('types arguments and results by the name of the operation', () => {
  expectTypeOf<'kv.set' | 'recall' | 'doc.import' | 'help'>().toExtend<OperationName>()
  expectTypeOf<OperationArgs<'kv.incr'>>().toExtend<{
    key: string
    by?: number | undefined
    idempotency_key?: string
  }>()
  expectTypeOf<OperationResult<'kv.incr'>['value']>().toEqualTypeOf<number>()
  expectTypeOf<OperationResult<'recall'>['hits'][number]['score']>().toEqualTypeOf<number>()
})

it('gives the client the same types', () => {
  type Call = HeddleClient['call']
  expectTypeOf<ReturnType<Call>>().resolves.not.toBeAny()
})
