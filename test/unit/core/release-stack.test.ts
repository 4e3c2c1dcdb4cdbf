import { describe, expect, it } from 'vitest'

import { ReleaseStack } from '../../../src/core/release-stack.ts'

describe('ReleaseStack', () => {
  it('releases last in first out, once', async () => {
    const order: number[] = []
    const stack = new ReleaseStack()
    stack.add(1, (n) => void order.push(n))
    stack.add(2, (n) => void order.push(n))
    await Promise.all([stack.close(), stack.close()])
    await stack.close()
    expect(order).toEqual([2, 1])
  })

  it('runs every release and throws the first failure', async () => {
    const order: number[] = []
    const stack = new ReleaseStack()
    stack.add(1, (n) => void order.push(n))
    stack.add(2, () => {
      throw new Error('second')
    })
    await expect(stack.close()).rejects.toThrow('second')
    expect(order).toEqual([1])
  })
})
