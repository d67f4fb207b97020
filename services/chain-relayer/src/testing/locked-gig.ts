import { randomUUID } from 'node:crypto'
import type { CloudEvent, Draft } from '@carapace/api'
import { commands } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type HDNodeWallet, Wallet } from 'ethers'
import { allowEscrow } from './allow.ts'
import { type Kit, wallet } from './kit.ts'

const chain = 'BASE_SEPOLIA'

/** The end of a command, once it is published. */
export const endOf = (kit: Kit, { subject }: Draft, type: 'confirmed' | 'failed'): Promise<CloudEvent> =>
  until(`${type} ${subject}`, () => kit.of(subject, type)[0], 20)

/** Number of the newest block. */
const headOf = async ({ rpc }: Kit): Promise<number> => Number(await rpc.call('eth_blockNumber', []))

/** A gig whose poster has approved the escrow for its budget, with the commands that lock and refund it. */
export async function payableGig(kit: Kit, amount: bigint): Promise<{ poster: HDNodeWallet; lock: Draft; settle: Draft }> {
  const poster = Wallet.createRandom()
  const mint = commands.faucetMint({ chain, requestId: randomUUID(), to: poster.address, amount })
  await kit.send(mint)
  await endOf(kit, mint, 'confirmed')
  await allowEscrow(kit, poster, amount, 0)
  const gig = { chain, gigId: randomUUID(), poster: poster.address } as const
  const lock = commands.escrowLock({ ...gig, payee: wallet(), amount, source: { kind: 'allowance' } })
  return { poster, lock, settle: commands.escrowSettle({ ...gig, outcome: { kind: 'refund' } }) }
}

/** The same whose lock is confirmed; `depth`: of the reorganisation that drops it. */
export async function lockedGig(kit: Kit, amount: bigint) {
  const gig = await payableGig(kit, amount)
  await kit.send(gig.lock)
  const { data } = await endOf(kit, gig.lock, 'confirmed')
  return { ...gig, depth: (await headOf(kit)) - Number(data.blockNumber) + 1 }
}
