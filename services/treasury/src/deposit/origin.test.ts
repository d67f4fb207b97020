import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { originOf } from './origin.ts'

const gig = (n: number) => `0192f0c0-0000-7000-8000-00000000000${n}`
const address = (digit: string) => `0x${digit.repeat(40)}`
const [escrow, payee, split, owner] = [address('e'), address('1'), address('2'), address('3')]
const log = (contract: string, event: string, logIndex: number, args: Record<string, unknown>): ChainLog => ({
  contract,
  event,
  args,
  address: escrow,
  logIndex,
})
const released = (n: number, at: number, splitAmount = '50') =>
  log('Escrow', 'EscrowReleased', at, { key: onChainKey(gig(n)), payee, net: '101', fee: '4', splitTo: split, splitAmount })
const refunded = (n: number, at: number) => log('Escrow', 'EscrowRefunded', at, { key: onChainKey(gig(n)), refundTo: owner, amount: '70' })
const move = (to: string, amount: bigint, logIndex: number, from = escrow) => ({ from, to, amount, logIndex })

describe('origin of a transfer', () => {
  it('is the gig whose release paid the treasury part', () => {
    const origin = originOf(move(split, 50n, 12), 'Escrow', [released(1, 10)])

    assert.deepEqual(origin, { kind: 'gig_payout', gigId: gig(1), isOurs: true })
  })

  it('is not booked against the escrow when it is the part for the external wallet', () => {
    const origin = originOf(move(payee, 51n, 13), 'Escrow', [released(1, 10)])

    assert.deepEqual(origin, { kind: 'gig_payout', gigId: gig(1), isOurs: false })
  })

  it('distinguishes releases and refunds of one transaction, also with equal amounts', () => {
    const logs = [released(1, 1), released(2, 5), refunded(3, 9), refunded(4, 12)]

    assert.equal((originOf(move(split, 50n, 3), 'Escrow', logs) as { gigId: string }).gigId, gig(1))
    assert.equal((originOf(move(split, 50n, 7), 'Escrow', logs) as { gigId: string }).gigId, gig(2))
    assert.deepEqual(originOf(move(owner, 70n, 10), 'Escrow', logs), { kind: 'refund', gigId: gig(3), isOurs: true })
    assert.deepEqual(originOf(move(owner, 70n, 13), 'Escrow', logs), { kind: 'refund', gigId: gig(4), isOurs: true })
  })

  it('is the commerce job whose budget came back', () => {
    const logs = [log('Commerce', 'Refunded', 10, { jobId: '7', client: owner, amount: '70' })]

    assert.deepEqual(originOf(move(owner, 70n, 11), 'Commerce', logs), { kind: 'job_refund', gigId: null, onChainJobId: '7' })
  })

  it('is a payment of ours by its authorisation, which the token logs first', () => {
    const used = (nonce: string, at: number) => log('USDC', 'AuthorizationUsed', at, { authorizer: owner, nonce })
    const logs = [used('0xAA', 0), used('0xBB', 2)]

    assert.deepEqual(originOf(move(split, 5n, 1, owner), 'USDC', logs), { kind: 'payment', nonce: '0xaa' })
    assert.deepEqual(originOf(move(split, 5n, 3, owner), 'USDC', logs), { kind: 'payment', nonce: '0xbb' })
  })

  it('is a plain deposit when nothing explains it', () => {
    const plain = { kind: 'deposit', gigId: null, isOurs: false }

    assert.deepEqual(originOf(move(split, 50n, 3, owner), 'outside', [released(1, 1)]), plain)
    assert.deepEqual(originOf(move(split, 49n, 3), 'Escrow', [released(1, 1)]), plain)
    assert.deepEqual(originOf(move(split, 50n, 0), 'Escrow', [released(1, 1)]), plain)
  })
})
