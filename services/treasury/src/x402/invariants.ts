import { type Chain, chainRelayerApi, chains, type DoctorCheck } from '@carapace/api'
import { type Extent, transactionOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { account } from '../ledger/accounts.ts'
import type { Parts } from '../parts.ts'
import { claimedBy } from './follow-transfers.ts'
import { isIntake } from './intake.ts'
import { covers } from './paid-in.ts'
import { creditMs, isPruned, prunedMs, type X402Payment } from './payment.ts'
import type { PaymentState } from './payment-states.ts'
import type { booked } from './postings.ts'

const paid: ReadonlySet<PaymentState> = new Set(['settled', 'served', 'held', 'spent'])
/** Those that a passing fault explains. */
const toleratedFailures = 2
/** A block that was dropped is followed within this time. */
const youngMs = 60_000

/** Where an account is not the sum of the payments that are booked on it. They are read one after the other: what differs is compared again in one snapshot. */
export async function incomeFaults({ db, ledger, x402 }: Parts, extent: Extent): Promise<string[]> {
  const difference = async (chain: Chain, kind: keyof typeof booked, session?: ClientSession): Promise<string[]> => {
    const name = accountOf[kind]
    const balance = await ledger.balance(chain, name, session)
    const sum = extent === 'whole' || session ? await x402.bookedSum(kind, chain, session) : await x402.bookedFigure(kind, chain)
    return balance === sum ? [] : [`${name} holds ${balance} on ${chain}, its payments are ${sum}`]
  }
  const compare = async (chain: Chain, kind: keyof typeof booked) =>
    (await difference(chain, kind)).length === 0 ? [] : db.transaction(session => difference(chain, kind, session))
  const compared = chains.flatMap(chain => [compare(chain, 'income'), compare(chain, 'intake')])
  return (await Promise.all(compared)).flat()
}
const accountOf = { income: account.x402Income, intake: account.intake } as const

/** Booked payments that the chain does not have, of a part of them at each call. */
export async function paymentFaults(parts: Parts): Promise<string[]> {
  const payments = (await parts.paymentsOfMinute()).filter(({ state }) => paid.has(state))
  const settled = payments.filter(({ fund, updatedAt }) => !fund?.isDropped && parts.clock.now().getTime() - updatedAt.getTime() > youngMs)
  return (await Promise.all(settled.map(payment => paymentFault(parts, payment)))).flat()
}

/** Returns that failed too often to be left to time alone, and money that should be on its way back and whose arrival cannot be read. */
export async function returnFaults({ x402, clock }: Parts, limit: number): Promise<string[]> {
  const failing = await x402.find({ state: 'returning', 'fund.giveBack.failures': { $gt: toleratedFailures } }, { limit })
  const late = new Date(clock.now().getTime() - creditMs - 2 * prunedMs)
  const unread = await x402.find({ state: 'settled', 'fund.returnAt': { $type: 'date' }, settledAt: { $lt: late } }, { limit })
  return [
    ...failing.map(({ id, fund, payer }) => `x402 payment ${id} is not back at ${payer}: ${fund?.giveBack?.failures} returns have failed`),
    ...unread.map(
      ({ id, onChain, chain, payer }) => `x402 payment ${id} is not back at ${payer}: ${onChain.txHash} on ${chain} does not show its arrival`,
    ),
  ]
}

async function paymentFault(parts: Parts, payment: Stored<X402Payment>): Promise<string[]> {
  const { id, chain, onChain } = payment
  const { txHash } = onChain
  const mined = await transactionOf(parts, { network: chain, txHash })
  const isThere = mined ? covers(mined.logs, payment) : isForgotten(payment, parts.clock.now())
  return isThere ? [] : [`x402 payment ${id} is booked, and ${txHash} on ${chain} does not pay it`]
}

/** Nodes forget old transactions; that the chain dropped this one was never reported. At the intake it may have to show its finality still. */
function isForgotten(payment: X402Payment, now: Date): boolean {
  const { state, settledAt, fund } = payment
  if (fund && state === 'settled') return isPruned(payment, now)
  return settledAt !== null && now.getTime() >= settledAt.getTime() + creditMs + prunedMs
}

/**
 * The intake is the lane's own address, that of each key apart, which may hold more than is booked here: only what is missing shows. What a command spends or returns just
 * now may have left already.
 */
export async function intakeFaults({ peers, networks, x402, x402Transfers, clock }: Parts): Promise<string[]> {
  const before = clock.now().getTime() - youngMs
  const compare = async (chain: Chain, lane: string) => {
    const [booked, waiting] = await Promise.all([
      x402.find({ state: { $in: ['settled', 'held', 'returning'] }, chain, payTo: lane }),
      x402Transfers.find({ state: 'waiting', chain, payTo: lane }),
    ])
    const unclaimed = await Promise.all(waiting.map(async transfer => transfer.amount - claimedBy(await x402.ofTransfer(transfer))))
    const there = booked.filter(payment => isThere(payment) && payment.updatedAt.getTime() < before)
    const amounts = [...there.map(({ amount }) => amount), ...unclaimed.filter(amount => amount > 0n)]
    const expected = amounts.reduce((sum, amount) => sum + amount, 0n)
    const { usdc } = await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet: lane } })
    return BigInt(usdc) >= expected ? [] : [`${lane} holds ${usdc} on ${chain}, ${expected} came for gigs and names or waits to be claimed`]
  }
  const ofChain = async (chain: Chain) => Promise.all((await networks.everyLane(chain)).map(lane => compare(chain, lane)))
  return (await Promise.all(chains.map(ofChain))).flat(2)
}

/** No command that is under way spends it or returns it. */
function isThere(payment: X402Payment): boolean {
  if (!isIntake(payment) || payment.fund.isDropped) return false
  const { hold, giveBack } = payment.fund
  if (payment.state === 'returning') return giveBack?.onChain.status === 'failed'
  return payment.state === 'settled' || hold?.onChain.status === 'failed'
}

/** What nobody claims and nobody can return is nothing wrong: the doctor shows how much there is. */
export async function unclaimedNote({ x402Transfers }: Parts): Promise<DoctorCheck> {
  const figures = await Promise.all(chains.map(async chain => ({ chain, ...(await x402Transfers.figures({ state: 'unclaimed', chain })) })))
  const detail = figures.flatMap(({ chain, count, amount }) =>
    count === 0 ? [] : [`${count} transfers to X402_PAY_TO_ADDRESS on ${chain} that no payment claims: ${amount} micro-USDC`],
  )
  return { name: 'unclaimed', count: 0, detail }
}
