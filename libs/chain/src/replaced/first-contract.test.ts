import assert from 'node:assert/strict'
import { contractField, orFirst, unlessFirst } from './first-contract.ts'

const every = ['0x1', '0x2', '0x3']

describe('the first contract of a network', () => {
  it('is named by no record, and every other one is', () => {
    assert.deepEqual(
      every.map(address => contractField(unlessFirst(every, address))),
      [{}, { contract: '0x2' }, { contract: '0x3' }],
    )
    assert.equal(unlessFirst([], undefined), undefined)
  })

  it('is the place of the records that name none', () => {
    for (const address of every) assert.equal(orFirst(every, unlessFirst(every, address)), address)
    assert.deepEqual([orFirst(every, null), orFirst(every, undefined)], ['0x1', '0x1'])
  })
})
