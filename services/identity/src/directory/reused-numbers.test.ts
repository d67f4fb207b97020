import assert from 'node:assert/strict'
import fc from 'fast-check'
import { reusedNumbers } from './reused-numbers.ts'

describe('numbers that are used again', () => {
  const step = fc.record({ id: fc.constantFrom('1', '2', '3', '4', '5'), isHeld: fc.boolean() })

  it('are one for each id, unchanged while it is held, and never more than were held at the same time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const numbers = reusedNumbers()
        const held = new Map<string, number>()
        let most = 0
        for (const { id, isHeld } of steps) {
          if (isHeld) {
            const number = numbers.of(id)
            assert.equal(number, held.get(id) ?? number)
            held.set(id, number)
          } else {
            numbers.release(id)
            held.delete(id)
          }
          most = Math.max(most, held.size)
          assert.equal(numbers.get(id), held.get(id))
          assert.equal(new Set(held.values()).size, held.size)
          assert.ok([...held.values()].every(number => number < most))
        }
      }),
    )
  })
})
