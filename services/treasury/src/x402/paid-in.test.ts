import assert from 'node:assert/strict'
import type { ChainLog } from '@carapace/api'
import { newHash, newWallet } from '@carapace/testing'
import { contracts, transferLog, transferLogs } from '../testing/token.ts'
import { covers } from './paid-in.ts'

const [payer, payTo] = [newWallet(), newWallet()]
const nonce = newHash()
const payment = { scheme: 'v2' as const, payer, payTo, nonce, amount: 10n }
const moved = { paymentId: 'x', from: payer, to: payTo, amount: '10', nonce }
const plain = (at: number): ChainLog => transferLog({ from: payer, to: payTo, amount: 10n, logIndex: at })

describe('a transaction that uses an authorisation', () => {
  const cases: Readonly<Record<string, readonly [boolean, readonly ChainLog[]]>> = {
    'pays it by the transfer of that very call': [true, transferLogs(moved)],
    'pays it whatever else it moves': [true, [plain(0), ...transferLogs({ ...moved, amount: '3', nonce: newHash() }, 1), ...transferLogs(moved, 3)]],
    'pays it in whatever order its logs are listed': [true, transferLogs(moved).toReversed()],
    'pays nothing by a transfer of its own before': [false, [plain(0), ...transferLogs({ ...moved, amount: '0' }, 1)]],
    'pays nothing by a transfer of its own after': [false, [...transferLogs({ ...moved, to: payer, amount: '0' }), plain(2)]],
    'pays nothing by the transfer of another nonce': [false, transferLogs({ ...moved, nonce: newHash() })],
    'pays nothing where that moves less': [false, transferLogs({ ...moved, amount: '9' })],
    'pays nothing where that moves more than was signed': [false, transferLogs({ ...moved, amount: '11' })],
    'pays nothing where that goes to somebody else': [false, transferLogs({ ...moved, to: contracts.escrow })],
    'pays nothing where the nonce is that of another wallet': [false, [...transferLogs({ ...moved, from: newWallet() }), plain(2)]],
    'pays nothing where no transfer follows': [false, transferLogs(moved).slice(0, 1)],
    'pays nothing by the logs of another token': [false, transferLogs(moved).map(log => ({ ...log, contract: 'Escrow' }))],
  }

  for (const [fact, [isPaid, logs]] of Object.entries(cases)) it(fact, () => assert.equal(covers(logs, payment), isPaid))
})
