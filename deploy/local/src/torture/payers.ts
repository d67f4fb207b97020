import { randomUUID } from 'node:crypto'
import type { PaymentChallenge } from '@carapace/api'
import { nonceTail } from '@carapace/chain'
import { connect } from '@carapace/client'
import { Interface, Wallet } from 'ethers'
import { micro } from '../testing/job.ts'
import { broadcast, signUsdc } from './participants.ts'
import { persist } from './persist.ts'
import type { Stage } from './pieces.ts'

/** µ of the read that is bought. */
export const price = 1_000n
const erc20 = new Interface(['function transfer(address,uint256)'])

/**
 * A read that the client of the platform pays for by x402 v2, and once only, over any number of requests: its key says that they are one call, also
 * where one of them was answered after it had been abandoned.
 */
export async function paidRead({ system, participants, deadline, sums }: Stage): Promise<void> {
  const { reader, chain } = participants
  const carapace = connect({
    baseUrl: system.url,
    identity: { agentId: reader.id, walletAddress: reader.wallet.address },
    payment: { signer: reader.wallet, maxPayment: price, networks: [`eip155:${system.networks[chain].chainId}`] },
  })
  const call = { query: { wallet: Wallet.createRandom().address }, headers: { 'idempotency-key': randomUUID() } }
  await persist('a read is bought by x402 v2', deadline, () => carapace.reputation.checkEligibility(call))
  sums.paidForReads += price
}

/**
 * The budget of a gig that its poster pays for by x402 v2. Such a payment bears no identifier: whether one whose answer was lost has locked the budget
 * shows in the escrow alone. Where it is paid again meanwhile, one payment is spent and the others go back.
 */
export function payBudget({ system, participants }: Stage, gigId: string, budget: number): () => Promise<unknown> {
  const { poster, chain } = participants
  const network = `eip155:${system.networks[chain].chainId}`
  // a call in the name of the poster would be paid for from its allowance
  const carapace = connect({ baseUrl: system.url, payment: { signer: poster.wallet, maxPayment: micro(budget), networks: [network] } })
  return () => carapace.escrow.fundEscrow({ body: { gigId, agentId: poster.id } })
}

/** A read that is paid for with a transfer of the reader's own, which serves once. */
export async function sentRead({ system, participants, deadline, sums }: Stage): Promise<void> {
  const { sender } = participants
  const path = `/api/reputation/check-eligibility?wallet=${Wallet.createRandom().address}`
  const read = async (proof?: object) => {
    const { status, body } = await system.call('GET', path, {
      headers: { ...sender.headers, ...(proof ? { 'x-payment': JSON.stringify(proof) } : {}) },
    })
    if (status >= 500) throw new Error(`GET ${path}: ${status}`)
    return { status, body }
  }
  const challenge = async () => {
    const { status, body } = await read()
    return status === 402 ? (body as PaymentChallenge) : undefined
  }
  const { nonce, payTo, amount } = await persist('a read has its price', deadline, challenge)
  const data = erc20.encodeFunctionData('transfer', [payTo, price]) + nonceTail(nonce).slice(2)
  const { hash } = await signUsdc(system, participants, sender.wallet, data)
  sums.paidForReads += price
  await persist('the payment is in a block', deadline, () => broadcast(system, participants))
  const proof = { txHash: hash, nonce, amount, from: sender.wallet.address, to: payTo }
  const isServed = async () => {
    const { status, body } = await read(proof)
    // an earlier answer was lost; a 409 of one that another request of ours still has comes again, too
    const isUsed = status === 409 && (await stateOf()) === 'served'
    if (status !== 200 && !isUsed) throw new Error(`the proof was answered ${status} ${JSON.stringify(body)}`)
    return true
  }
  const stateOf = async () => {
    const { payments } = (await system.get(`/api/x402/payments/${sender.id}`)) as { payments: { txHash: string; state: string }[] }
    return payments.find(({ txHash }) => txHash === hash)?.state
  }
  await persist('a transfer buys a read', deadline, isServed, () => broadcast(system, participants))
}
