import { type ChainLog, chainEventRemoved, contractEvents, type PublishedOutcome } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import { on, onlyPolled, onOutcomes, type Subscription } from '@carapace/service'
import { creditTransfer } from './deposit/credit-transfer.ts'
import { reverseTransfer } from './deposit/reverse-transfer.ts'
import type { Parts } from './parts.ts'
import { settleCommand } from './reservation/settle-command.ts'
import { intakeOutcomes } from './x402/hold.ts'
import { settlementOutcomes } from './x402/outcome.ts'

export const events = (parts: Parts): Subscription[] => [
  on(contractEvents['USDC.Transfer']!, log => creditTransfer(parts, log)),
  on(chainEventRemoved, log => (log.contract === 'USDC' && log.event === 'Transfer' ? reverseTransfer(parts, log) : Promise.resolve())),
  ...commandOutcomes(parts),
  ...settlementOutcomes(parts),
  ...intakeOutcomes(parts),
]

/** The commands that custodial money is reserved for, whichever service sends them. */
function commandOutcomes(parts: Parts): Subscription[] {
  const reserved = {
    confirmed: ({ opKey, round, seq, txHash, blockNumber, logs, already }: PublishedOutcome<'confirmed'>) =>
      settleCommand(parts, { is: 'confirmed', key: opKey, round, seq, txHash, blockNumber, spent: spentIn(logs), already }),
    failed: (outcome: PublishedOutcome<'failed'>) => settleCommand(parts, { ...outcome, key: outcome.opKey }),
    finalized: (outcome: PublishedOutcome<'finalized'>) => finalized(parts, outcome),
    reorged: onlyPolled,
  }
  return onOutcomes({
    // the hash of a payment is shown while its outcome is open
    'treasury.pay': {
      submitted: ({ opKey, round, seq, txHash }) => settleCommand(parts, { is: 'submitted', key: opKey, round, seq, txHash }),
      ...reserved,
    },
    'escrow.lock': reserved,
    'bond.deposit': reserved,
    'job.fund': reserved,
    'domain.mint': reserved,
  })
}

const spentIn = (logs: readonly ChainLog[]) =>
  logs.flatMap(({ contract, event, args }) =>
    contract === 'USDC' && event === 'Transfer' ? [{ from: toChecksum(String(args.from)), amount: BigInt(String(args.value)) }] : [],
  )

async function finalized({ reservations, history }: Parts, { opKey, round }: PublishedOutcome<'finalized'>): Promise<void> {
  const reservation = await reservations.of(opKey, round)
  if (reservation) await history.change(reservation.id, { isFinal: true })
}
