import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { contractInterface, onChainKey } from '@carapace/chain'
import { gigOf, headline, sayings } from './transaction-words.ts'

const gigId = '4f7c9a52-7a0e-4c11-9df5-0e6b0f1f2a3b'
const [poster, worker] = ['a', 'b'].map(digit => `0x${digit.repeat(40)}`)
const log = (contract: string, event: string, args: ChainLog['args']) => ({ contract, event, args }) as ChainLog
const transaction = (logs: ChainLog[], success = true) => ({ success, logs }) as Parameters<typeof headline>[0]
const locked = log('Escrow', 'EscrowLocked', { key: onChainKey(gigId), poster, payee: worker, amount: '40000000' })
const paid = log('USDC', 'Transfer', { from: poster, to: worker, value: '40000000' })

describe('a transaction in words', () => {
  it('has a saying for events that its contracts declare, and for no others', () => {
    for (const name of Object.keys(sayings)) {
      const [contract, event] = name.split('.') as ['Escrow', string]
      assert.ok(contractInterface(contract).getEvent(event), name)
    }
  })

  it('is headed by what the platform did, before the transfer that followed from it', () => {
    assert.equal(headline(transaction([paid, locked])), '0xaaaa…aaaa locked 40.00 USDC in escrow for 0xbbbb…bbbb')
    assert.equal(headline(transaction([paid])), '0xaaaa…aaaa paid 40.00 USDC to 0xbbbb…bbbb')
  })

  it('is counted where no event of several has a saying, and called by its event where there is one', () => {
    const config = log('Escrow', 'BaseUriSet', {})
    assert.equal(headline(transaction([config, config])), 'This transaction recorded 2 events')
    assert.equal(headline(transaction([config])), 'Escrow: base uri set')
    assert.equal(headline(transaction([], false)), 'This transaction was reverted')
  })

  it('names its gig by the key of the escrow or the bond', () => {
    assert.equal(gigOf([paid, locked]), gigId)
    assert.equal(gigOf([log('Bond', 'BondLocked', { agent: worker, gigId: onChainKey(gigId), amount: '1' })]), gigId)
    assert.equal(gigOf([paid, log('Escrow', 'EscrowDisputed', { key: '0x00' })]), undefined)
  })
})
