import {
  type ChainLog,
  chainCommandConfirmed,
  chainCommandFailed,
  chainCommandFinalized,
  chainCommandSubmitted,
  chainEventRemoved,
  contractEvents,
  type PayloadOf,
} from '@carapace/api'
import { operationParts, toChecksum } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { transact } from '@carapace/store'
import { creditTransfer } from './deposit/credit.ts'
import { transferGone } from './deposit/gone.ts'
import type { Parts } from './parts.ts'
import { noteHash } from './payment.ts'
import { settle } from './settle.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.gigs.subscriptions,
  on(contractEvents['USDC.Transfer']!, log => creditTransfer(parts, log)),
  on(chainEventRemoved, log => (log.contract === 'USDC' && log.event === 'Transfer' ? transferGone(parts, log) : Promise.resolve())),
  on(chainCommandSubmitted, payload => signed(parts, payload)),
  on(chainCommandConfirmed, ({ opKey, round, seq, txHash, logs }) =>
    settle(parts, { is: 'confirmed', key: opKey, round, seq, txHash, spent: spentIn(logs) }),
  ),
  on(chainCommandFailed, ({ opKey, round, seq, terminal, code, txHash }) =>
    terminal ? settle(parts, { is: 'failed', key: opKey, round, seq, code, ...(txHash ? { txHash } : {}) }) : Promise.resolve(),
  ),
  on(chainCommandFinalized, payload => finalized(parts, payload)),
]

const spentIn = (logs: readonly ChainLog[]) =>
  logs.flatMap(({ contract, event, args }) =>
    contract === 'USDC' && event === 'Transfer' ? [{ from: toChecksum(String(args.from)), amount: BigInt(String(args.value)) }] : [],
  )

/** The transaction of a payment is signed: its hash can be shown, while the outcome is open. */
async function signed(parts: Parts, { opKey, kind, txHash }: PayloadOf<typeof chainCommandSubmitted>): Promise<void> {
  const [, paymentId] = operationParts(opKey)
  if (kind !== 'treasury.pay' || !(await parts.payments.get(paymentId))) return
  await transact(parts, async session => {
    if (noteHash(await parts.payments.need(paymentId, session), txHash) === undefined) return
    await parts.payments.change(paymentId, payment => noteHash(payment, txHash), { session })
    await parts.history.change(paymentId, { txHash }, session)
  })
}

async function finalized({ reservations, history }: Parts, { opKey, round }: PayloadOf<typeof chainCommandFinalized>): Promise<void> {
  const reservation = await reservations.of(opKey, round)
  if (reservation) await history.change(reservation.id, { isFinal: true })
}
