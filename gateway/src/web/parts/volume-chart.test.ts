import assert from 'node:assert/strict'
import { volumeChart } from './volume-chart.ts'

const payment = (amount: number, day: number) => ({ amount, at: `2026-11-0${day}T10:00:00.000Z` })

describe('a chart of payments', () => {
  it('has a bar for each, oldest first, as high as its share of the largest', () => {
    const chart = volumeChart([payment(20, 3), payment(40, 2), payment(10, 1)], 'receipts')!.toString()

    assert.deepEqual(
      [...chart.matchAll(/<title>(.*?)<\/title>/g)].map(match => match[1]),
      ['10.00 USDC, 2026-11-01 10:00:00 UTC', '40.00 USDC, 2026-11-02 10:00:00 UTC', '20.00 USDC, 2026-11-03 10:00:00 UTC'],
    )
    const [first, largest, last] = [...chart.matchAll(/class="volume".*? height="([\d.]+)"/g)].map(match => Number(match[1])) as [
      number,
      number,
      number,
    ]
    assert.deepEqual([first / largest, last / largest], [0.25, 0.5])
  })

  it('says in words what it shows', () => {
    assert.match(
      String(volumeChart([payment(20, 2), payment(40, 1)], 'receipts')),
      /aria-label="The last 2 receipts: 60\.00 USDC in all, the largest 40\.00 USDC"/,
    )
  })

  it('is none below two payments, and bears that nothing was paid', () => {
    assert.equal(volumeChart([payment(1, 1)], 'receipts'), undefined)
    assert.doesNotMatch(String(volumeChart([payment(0, 2), payment(0, 1)], 'receipts')), /NaN/)
  })
})
