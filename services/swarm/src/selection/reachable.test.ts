import assert from 'node:assert/strict'
import fc from 'fast-check'
import { draw, reachable, type Seat } from './selection.ts'

describe('the part of an order that is stored', () => {
  const seatsOf = (entries: { young: boolean; crew: string | null }[]): Seat[] =>
    entries.map(({ young, crew }, at) => ({ agentId: `a${at}`, young, crewIds: crew ? [crew] : [], tied: false }))
  const orders = fc.array(fc.record({ young: fc.boolean(), crew: fc.option(fc.constantFrom('c1', 'c2', 'c3')) }), { maxLength: 200 })
  const mostlyYoung = fc.array(fc.record({ young: fc.integer({ max: 9, min: 0 }).map(n => n > 0), crew: fc.constant(null) }), { maxLength: 200 })

  it('draws every panel, and the next for each idle seat of it, as the whole order does', () => {
    fc.assert(
      fc.property(fc.oneof(orders, mostlyYoung), fc.integer({ min: 1, max: 15 }), (entries, count) => {
        const whole = seatsOf(entries)
        const reached = reachable(whole)
        const panel = draw(whole, count)
        const next = (seats: readonly Seat[]) => seats.filter(seat => !panel.includes(seat)).slice(0, count)
        assert.deepEqual(draw(reached, count), panel)
        assert.deepEqual(next(reached), next(whole))
      }),
    )
  })

  it('is small however many may judge', () => {
    const ten = Array.from({ length: 10_000 }, (_, at) => ({ young: at % 10 !== 0, crew: at % 3 === 0 ? 'c1' : null }))

    assert.ok(reachable(seatsOf(ten)).length < 200)
  })
})
