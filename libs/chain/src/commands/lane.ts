import { chain } from '@carapace/api'
import { z } from 'zod'
import { command, nothing } from '../command.ts'
import { address } from '../fields.ts'

/** The first contract of this name that the database knew, or the address of a later one. */
const spender = z.enum(['Escrow']).or(address)
const addressOf = (name: z.output<typeof spender>) => (name === 'Escrow' ? { addressOf: name } : name)
/** Above what any lane will ever hold. */
const plenty = 1n << 200n

/** Lets a contract pull USDC from the lane's own address, which is the x402 intake. The relayer sends it to itself once for each key. */
export const laneApprove = command({
  kind: 'lane.approve',
  args: { chain, spender, lane: address },
  key: ['chain', 'spender', 'lane'],
  aggregate: a => `lane:${a.chain}`,
  gas: 60_000n,
  batchable: false,
  finalReverts: [],
  needs: nothing,
  call: a => ({ contract: 'USDC', fn: 'approve', args: [addressOf(a.spender), (1n << 256n) - 1n] }),
  effect: a => ({
    contract: 'USDC',
    fn: 'allowance',
    args: [{ addressOf: 'Lane' }, addressOf(a.spender)],
    isOurs: ([left]) => (left as bigint) > plenty,
  }),
})
