import type { PublishedOutcome } from '@carapace/api'
import { Retry } from '@carapace/bus'
import { observedOutcome, operationParts } from '@carapace/chain'
import { onlyPolled, onOutcomes, type Subscription, transactionOf } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { followReturn, followUse, freeEarlier, giveBack, hold, isDue, mayHold, postponeReturn, type UseOutcome } from './intake.ts'
import { covers, paidIn } from './paid-in.ts'
import { isPruned, type X402Payment } from './payment.ts'

/**
 * Sets a payment aside for a round of a command, once its settlement is final: the command spends from one purse for all payments, so none of
 * them may prove to have paid none.
 * @throws NOT_FOUND, CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function holdPayment(parts: Parts, id: string, wanted: { key: string; round: number }) {
  const present = await parts.x402.need(id)
  const { payTo, state } = present
  if (state === 'claimed') return { status: 'pending' as const, payTo }
  const before = mayHold(present, wanted)
  if (before !== 'free') return { status: before, payTo }
  if (!(await isFinal(parts, present))) return { status: 'pending' as const, payTo }
  const after = await parts.x402.change(id, payment => hold(payment, wanted))
  return { status: mayHold(after, wanted) === 'held' ? ('held' as const) : ('refused' as const), payTo }
}

/** Whether no reorganisation drops the transfer that it came by. @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE */
export async function isFinal(parts: Parts, payment: Stored<X402Payment>): Promise<boolean> {
  const mined = await transactionOf(parts, { network: payment.chain, txHash: payment.onChain.txHash })
  return mined ? mined.final && covers(mined.logs, payment) : isPruned(payment, parts.clock.now())
}

/**
 * Time alone: what its service refused, what was not used in a day, what a command failed to use, and returns that failed. What was set aside was
 * final before; anything else must be.
 * @throws CHAIN_UNAVAILABLE, DEPENDENCY_UNAVAILABLE
 */
export async function returnDue(parts: Parts, id: string, now: Date): Promise<void> {
  const present = await parts.x402.need(id)
  if (present.state === 'settled' && !(await isFinal(parts, present))) {
    await parts.x402.change(id, payment => postponeReturn(payment, now))
    return
  }
  await parts.x402.change(id, payment => {
    if (!isDue(payment, now) || payment.onChain.txHash !== present.onChain.txHash) return undefined
    return giveBack(payment, payment.fund?.refusal ?? (payment.fund?.hold ? 'not_used' : 'not_claimed'))
  })
}

/** Outcomes of the commands that spend the intake, and of those that return from it. */
export function intakeOutcomes(parts: Parts): Subscription[] {
  const used = {
    confirmed: async (outcome: PublishedOutcome<'confirmed'>) => {
      const held = await parts.x402.heldFor(outcome.opKey, outcome.round)
      if (held) await follow(parts, outcome, await isPaidBy(parts, outcome, held))
    },
    // a failure that does not end its round speaks of another command
    failed: async (outcome: PublishedOutcome<'failed'>) => (outcome.terminal ? follow(parts, outcome, () => false) : undefined),
    reorged: onlyPolled,
  }
  const returned = (outcome: PublishedOutcome<'confirmed' | 'failed'>) => followReturnOf(parts, outcome)
  return onOutcomes({
    'escrow.lock-x402': used,
    'domain.mint': used,
    'treasury.pay': { confirmed: returned, failed: returned },
  })
}

/** How long the logs of an effect of our own are waited for: then it is booked as requested. */
const logsWaitMs = 10 * 60_000

/**
 * Whether the intake has paid the contract of the command. An effect that was found there may be reported without its logs: who has paid for it is
 * read before money goes back.
 * @throws Retry while they cannot be read
 */
async function isPaidBy(parts: Parts, outcome: PublishedOutcome<'confirmed'>, held: Stored<X402Payment>): Promise<(payment: X402Payment) => boolean> {
  const logs = outcome.logs.length > 0 ? outcome.logs : (await transactionOf(parts, outcome))?.logs
  if (logs) {
    const [artifact, name] = outcome.kind === 'domain.mint' ? (['DomainRegistry', 'domains'] as const) : (['Escrow', 'escrow'] as const)
    // also one that is newer than this process
    const logged = logs.flatMap(({ contract, address }) => (contract === artifact ? [address] : []))
    const paid = [...logged, ...(await parts.networks.everyContract(outcome.network, name))]
    return payment => paid.some(payTo => paidIn(logs, { payer: payment.payTo, payTo }) >= payment.amount)
  }
  // what was there already may have been paid for by another source: only its logs show that
  if (outcome.already || parts.clock.now().getTime() - held.updatedAt.getTime() < logsWaitMs) throw new Retry(`${outcome.txHash} cannot be read yet`)
  return () => true
}

async function follow(parts: Parts, outcome: PublishedOutcome<'confirmed' | 'failed'>, isPaid: (payment: X402Payment) => boolean): Promise<void> {
  const { opKey, round, seq } = outcome
  const payment = await parts.x402.heldFor(opKey, round)
  if (!payment) return
  await parts.x402.change(payment.id, present => followUse(present, observedOutcome(outcome) as UseOutcome, isPaid(present), parts.clock.now()))
  // a later round exists only once this one has failed, which may never have been received
  for (const { id } of await parts.x402.heldBefore(opKey, payment.fund!.hold!.onChain.round))
    await parts.x402.change(id, present => freeEarlier(present, { round, seq }, parts.clock.now()))
}

async function followReturnOf(parts: Parts, outcome: PublishedOutcome<'confirmed' | 'failed'>): Promise<void> {
  const [, id] = operationParts(outcome.opKey)
  if (!(await parts.x402.get(id))?.fund?.giveBack) return
  await parts.x402.change(id, present => followReturn(present, observedOutcome(outcome), parts.clock.now()))
}
