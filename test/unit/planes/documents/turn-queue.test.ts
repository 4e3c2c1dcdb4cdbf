import { expect, it } from 'vitest'

import { TurnQueue } from '../../../../src/planes/documents/turn-queue.ts'

it('lets parties in by turns, and each in its own order', async () => {
  const queue = new TurnQueue(2)
  const done: string[] = []
  const start = (party: string, name: string): Promise<void> =>
    queue.enter(party).then(() => {
      done.push(name)
    })
  await Promise.all([start('a', 'a1'), start('a', 'a2')])
  const waiting = [
    ...['a3', 'a4', 'a5'].map((name) => start('a', name)),
    ...['b1', 'b2'].map((name) => start('b', name)),
    start('c', 'c1'),
  ]
  expect(done).toEqual(['a1', 'a2'])
  for (let left = waiting.length; left > 0; left -= 1) {
    queue.leave()
    await Promise.resolve()
  }
  await Promise.all(waiting)
  expect(done).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
})

it('never lets more in than there are places', async () => {
  const queue = new TurnQueue(3)
  let inside = 0
  let most = 0
  const visit = async (party: string): Promise<void> => {
    await queue.enter(party)
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    queue.leave()
  }
  await Promise.all(Array.from({ length: 50 }, (_, n) => visit(`p${n % 7}`)))
  expect([inside, most]).toEqual([0, 3])
})
