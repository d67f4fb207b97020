import type { Draft } from '@carapace/api'
import { commands, type FundingSource } from '@carapace/chain'
import type { Escrow, Lock, Settlement } from './escrow.ts'

export const zeroAddress = `0x${'0'.repeat(40)}`
const commandTimeMs = 15 * 60_000

/** A command that uses a reservation or a signature is never sent after it (wall clock, judged by the relayer). */
export const deadline = (): Date => new Date(Date.now() + commandTimeMs)

const slot = ({ id, chain, contract }: Escrow, { poster }: Lock) => ({ gigId: id, poster, chain, contract })

/** Locks the budget from its source. */
export const lockCommand = (e: Escrow, lock: Lock, source: FundingSource): Draft =>
  commands.escrowLock({ ...slot(e, lock), payee: lock.payee, amount: e.amount, source, round: lock.onChain.round, deadline: deadline() })

/** Locks the budget out of the intake, where its payment is set aside. */
export const lockX402Command = (e: Escrow, lock: Lock): Draft =>
  commands.escrowLockX402({
    ...slot(e, lock),
    payee: lock.payee,
    amount: e.amount,
    payTo: lock.payTo,
    round: lock.onChain.round,
    deadline: deadline(),
  })

/** Accepts a lock that the poster made on the contract itself. */
export const acceptCommand = (e: Escrow, lock: Lock): Draft =>
  commands.escrowAccept({ ...slot(e, lock), amount: e.amount, round: lock.onChain.round })

/** Names the assignee to the contract. */
export const payeeCommand = (e: Escrow, lock: Lock, assigneeId: string): Draft =>
  commands.escrowPayee({ ...slot(e, lock), assigneeId, payee: lock.payee, amount: e.amount, round: lock.payeeOnChain?.round ?? 1 })

/** Marks the slot as disputed. */
export const disputeCommand = (e: Escrow): Draft => commands.escrowDispute(slot(e, e.lock!))

/** Marks the slot as approved, so that in the end the contract pays the payee. */
export const approveCommand = (e: Escrow, round: number): Draft => commands.escrowApprove({ ...slot(e, e.lock!), round })

/** Releases or refunds. */
export function settleCommand(e: Escrow, { kind, onChain: { round }, fee, treasury, treasuryAddress }: Settlement): Draft {
  const outcome =
    kind === 'refund' ? { kind } : { kind, fee, splitTo: treasuryAddress ?? zeroAddress, splitAmount: treasuryAddress === null ? 0n : treasury }
  return commands.escrowSettle({ ...slot(e, e.lock!), outcome, round })
}
