import { type Job, peerPolls } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { isUsed } from '../reservation/is-used.ts'
import { isFinal } from './hold.ts'
import { abandonHold } from './intake.ts'
import { isHoldOpen } from './payment.store.ts'
import { announceAgain, type X402Payment } from './payment.ts'

/** Frees what is set aside for a command that never was and never will be: it goes back as after a command that failed. */
export const unusedHolds = (parts: Parts): Job =>
  peerPolls<X402Payment>(parts, {
    name: 'money at the intake whose command never came',
    records: parts.x402,
    filter: { state: 'held', ...isHoldOpen },
    since: 'updatedAt',
    poll: payment => freeUnlessUsed(parts, payment),
  })

async function freeUnlessUsed(parts: Parts, { id, agentId, fund }: X402Payment): Promise<void> {
  if (!fund?.hold || fund.service === 'none') return
  const { key, onChain } = fund.hold
  const of = { key, round: onChain.round }
  if (await isUsed(parts, { owner: fund.service, agentId, ...of })) return
  parts.log.warn({ paymentId: id, ...of }, 'money at the intake is freed whose command never came')
  await parts.x402.change(id, payment => abandonHold(payment, of, parts.clock.now()))
}

/** Announces what nothing uses until its service has used or refused it: neither rests on one announcement, nor on the answer to it. */
export const unusedPayments = (parts: Parts): Job =>
  peerPolls<X402Payment>(parts, {
    name: 'money at the intake that nothing has used',
    records: parts.x402,
    filter: { state: 'settled', 'fund.service': { $in: ['escrow', 'domains'] } },
    since: 'createdAt',
    poll: async payment => {
      if (payment.fund?.refusal !== undefined || !(await isFinal(parts, payment))) return
      await parts.x402.change(payment.id, present => (present.onChain.txHash === payment.onChain.txHash ? announceAgain(present) : undefined))
    },
  })
