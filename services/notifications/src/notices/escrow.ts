import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events of the escrow: budgets, rewards and bonds. */
export const escrowNotices: readonly NoticeRule[] = [
  rule(api.rewardFunded, ({ rewards, validationId, gigId, jobId, title }, notify) => {
    for (const { validatorId, amount } of rewards)
      notify(validatorId, ['reward_claimable', 'Reward to claim', `${formatUsdc(amount)} for your vote on "${title}" can be claimed.`], {
        validationId,
        gigId,
        jobId,
        amount: api.usd(amount),
      })
  }),
  rule(api.rewardPaid, ({ validatorId, amount, claimId, chain, txHash }, notify) =>
    notify(validatorId, ['reward_paid', 'Reward paid', `${formatUsdc(amount)} of rewards were paid to your wallet.`], {
      claimId,
      chain,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowLocked, ({ posterId, assigneeId, gigId, gigTitle, amount, txHash }, notify) =>
    notify([posterId, assigneeId], ['escrow_locked', 'Escrow locked', `${formatUsdc(amount)} for "${gigTitle}" are locked.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowReleased, ({ posterId, assigneeId, gigId, gigTitle, net, fee, txHash }, notify) =>
    notify(
      [posterId, assigneeId],
      ['escrow_released', 'Escrow released', `${formatUsdc(net)} for "${gigTitle}" were paid (fee ${formatUsdc(fee)}).`],
      {
        gigId,
        txHash,
        net: api.usd(net),
        fee: api.usd(fee),
      },
    ),
  ),
  rule(api.escrowRefunded, ({ posterId, assigneeId, gigId, gigTitle, amount, txHash, reason }, notify) =>
    notify([posterId, assigneeId], ['escrow_refunded', 'Escrow refunded', `${formatUsdc(amount)} for "${gigTitle}" went back.`], {
      gigId,
      txHash,
      reason,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowRestated, ({ posterId, assigneeId, gigId, gigTitle, amount, status, unpaid, txHash }, notify) => {
    if (!unpaid) return
    const reversal = `The chain took back the payment for "${gigTitle}"`
    const [type, where] =
      status === 'refunded'
        ? (['escrow_refunded', `${formatUsdc(amount)} went back to where they came from.`] as const)
        : (['escrow_failed', 'The budget had not been locked, nothing is locked now.'] as const)
    notify([posterId, assigneeId], [type, 'Payment reversed', `${reversal}. ${where}`], { gigId, txHash, amount: api.usd(amount) })
  }),
  rule(api.escrowDisputed, ({ posterId, assigneeId, gigId, gigTitle, reason, deadlineAt }, notify) =>
    notify([posterId, assigneeId], ['escrow_disputed', 'Dispute', `The escrow of "${gigTitle}" is disputed: ${reason}`], { gigId, deadlineAt }),
  ),
  rule(api.escrowFailed, ({ posterId, assigneeId, gigId, gigTitle, code, wasLocked }, notify) => {
    const why = wasLocked
      ? `The chain took back the lock of the budget of "${gigTitle}".`
      : `The budget of "${gigTitle}" could not be locked (${code}).`
    notify(wasLocked ? [posterId, assigneeId] : posterId, ['escrow_failed', 'Escrow failed', `${why} Nothing is locked now.`], { gigId, code })
  }),
  rule(api.escrowDecided, ({ posterId, assigneeId, gigId, gigTitle, outcome, by, disputed }, notify) => {
    if (disputed && (outcome === 'release' || outcome === 'refund'))
      notify([posterId, assigneeId], ['dispute_resolved', 'Dispute resolved', `The dispute on "${gigTitle}" ended with a ${outcome}.`], {
        gigId,
        outcome,
        by,
      })
  }),
  rule(api.receiptIssued, ({ posterId, assigneeId, receiptId, gigId, gigTitle }, notify) =>
    notify([posterId, assigneeId], ['receipt_issued', 'Trust receipt', `The trust receipt of "${gigTitle}" is there.`], { receiptId, gigId }),
  ),
  rule(api.bondDeposited, ({ agentId, amount, totalBonded, txHash }, notify) =>
    notify(agentId, ['bond_deposited', 'Bond deposited', `${formatUsdc(amount)} were added to your bond (total ${formatUsdc(totalBonded)}).`], {
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondLocked, ({ agentId, amount, gigId, txHash }, notify) =>
    notify(agentId, ['bond_locked', 'Bond locked', `${formatUsdc(amount)} of your bond are locked for a gig.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondUnlocked, ({ agentId, amount, gigId, txHash }, notify) =>
    notify(agentId, ['bond_unlocked', 'Bond unlocked', `${formatUsdc(amount)} of your bond are free again.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondLockFailed, ({ agentId, amount, gigId, wasLocked, isLockedAgain }, notify) => {
    const next = isLockedAgain ? 'It is being locked once more.' : 'It is free again.'
    if (wasLocked)
      notify(agentId, ['bond_lost', 'Bond lock reversed', `The chain took back the lock of ${formatUsdc(amount)} for a gig. ${next}`], { gigId })
  }),
  rule(api.bondWalletChanged, ({ agentId, walletAddress, effectiveAt }, notify) =>
    notify(agentId, ['bond_wallet_changed', 'Bond wallet changed', `Withdrawals will go to ${walletAddress} from ${effectiveAt}.`], {
      walletAddress,
      effectiveAt,
    }),
  ),
  rule(api.bondSlashed, ({ agentId, amount, slashId, reason, gigId }, notify) =>
    notify(agentId, ['slash_applied', 'Bond slashed', `${formatUsdc(amount)} of your bond were taken: ${reason}`], {
      slashId,
      gigId,
      amount: api.usd(amount),
    }),
  ),
  rule(api.slashReversed, ({ agentId, amount, slashId, reason }, notify) =>
    notify(agentId, ['slash_reversed', 'Slash reversed', `${formatUsdc(amount)} were given back to your bond: ${reason}`], {
      slashId,
      amount: api.usd(amount),
    }),
  ),
]
