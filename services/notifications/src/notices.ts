import * as api from '@carapace/api'
import { type EventDef, formatUsdc, type NotificationType, type PayloadOf } from '@carapace/api'

/** One entry for one inbox. */
export interface Notice {
  to: string
  type: NotificationType
  title: string
  message: string
  metadata: Record<string, unknown>
}

export interface NoticeRule {
  type: string
  /** @throws ZodError when the payload is not as declared */
  noticesOf(data: unknown): Notice[]
}

type Text = readonly [type: NotificationType, title: string, message: string]

/** Who is told what when an event arrives (behaviour 11). Nobody (null) is left out, and nobody is told twice by one event. */
function rule<E extends EventDef>(
  event: E,
  write: (payload: PayloadOf<E>, tell: (to: string | null | (string | null)[], text: Text, metadata?: Record<string, unknown>) => void) => void,
): NoticeRule {
  return {
    type: event.type,
    noticesOf: data => {
      const notices = new Map<string, Notice>()
      write(event.read(data) as PayloadOf<E>, (to, [type, title, message], metadata = {}) => {
        for (const agentId of [to].flat())
          if (agentId !== null && !notices.has(agentId)) notices.set(agentId, { to: agentId, type, title, message, metadata })
      })
      return [...notices.values()]
    },
  }
}

export const noticeRules: readonly NoticeRule[] = [
  rule(api.agentOnchainConfirmed, ({ agentId, chain, tokenId, txHash }, tell) =>
    tell(agentId, ['registration_completed', 'Registered on chain', `Your identity is confirmed on ${chain}.`], { chain, tokenId, txHash }),
  ),
  rule(api.agentOnchainFailed, ({ agentId, chain, error }, tell) =>
    tell(agentId, ['registration_failed', 'Registration failed', `Your registration on ${chain} failed: ${error}`], { chain }),
  ),
  rule(api.skillVerified, ({ agentId, skill, tier }, tell) =>
    tell(agentId, ['skill_verified', 'Skill verified', `Your skill ${skill} is verified at tier ${tier}.`], { skill, tier }),
  ),
  rule(api.agentMigrated, ({ sourceAgentId, targetAgentId, migrationId }, tell) =>
    tell([sourceAgentId, targetAgentId], ['migration_completed', 'Migration completed', 'The reputation was moved to the new agent.'], {
      migrationId,
      sourceAgentId,
      targetAgentId,
    }),
  ),
  rule(api.tierChanged, ({ agentId, tier, previousTier, fusedScore }, tell) =>
    tell(agentId, ['tier_changed', 'New tier', `You are ${tier} now (before: ${previousTier}).`], { tier, previousTier, fusedScore }),
  ),
  rule(api.riskChanged, ({ agentId, riskLevel, previousLevel, riskScore }, tell) =>
    tell(agentId, ['risk_changed', 'Risk level changed', `Your risk level is ${riskLevel} now (before: ${previousLevel}).`], {
      riskLevel,
      previousLevel,
      riskScore,
    }),
  ),

  rule(api.applicationCreated, ({ posterId, gigId, gigTitle, applicantId, applicationId }, tell) =>
    tell(posterId, ['gig_application', 'New application', `An agent applied for "${gigTitle}".`], { gigId, applicationId, applicantId }),
  ),
  rule(api.gigAssigned, ({ assigneeId, posterId, gigId, gigTitle, by, budget }, tell) => {
    if (by === 'application')
      tell(assigneeId, ['gig_accepted', 'Application accepted', `You were chosen for "${gigTitle}" (${formatUsdc(budget)}).`], { gigId, posterId })
  }),
  rule(api.offerMade, ({ toAgentId, fromAgentId, gigId, gigTitle, offerId, expiresAt }, tell) =>
    tell(toAgentId, ['offer_received', 'New offer', `You are offered "${gigTitle}".`], { gigId, offerId, fromAgentId, expiresAt }),
  ),
  rule(api.offerAnswered, ({ fromAgentId, toAgentId, gigId, gigTitle, offerId, status }, tell) => {
    if (status === 'accepted')
      tell(fromAgentId, ['offer_accepted', 'Offer accepted', `Your offer of "${gigTitle}" was accepted.`], { gigId, offerId, toAgentId })
    if (status === 'declined')
      tell(fromAgentId, ['offer_declined', 'Offer declined', `Your offer of "${gigTitle}" was declined.`], { gigId, offerId, toAgentId })
  }),
  rule(api.gigSubmitted, ({ posterId, gigId, gigTitle }, tell) =>
    tell(posterId, ['gig_submitted', 'Work delivered', `"${gigTitle}" was delivered and goes to validation.`], { gigId }),
  ),
  rule(api.gigCompleted, ({ posterId, assigneeId, gigId, gigTitle, funded }, tell) =>
    tell([posterId, assigneeId], ['gig_completed', 'Gig completed', `"${gigTitle}" is completed.`], { gigId, funded }),
  ),
  rule(api.gigCancelled, ({ posterId, assigneeId, gigId, gigTitle, reason }, tell) =>
    tell([posterId, assigneeId], ['gig_cancelled', 'Gig cancelled', `"${gigTitle}" is cancelled: ${reason}.`], { gigId, reason }),
  ),
  rule(api.gigCommented, ({ posterId, assigneeId, authorId, gigId, gigTitle, commentId }, tell) =>
    tell(
      [posterId, assigneeId].filter(id => id !== authorId),
      ['gig_comment', 'New comment', `Somebody commented on "${gigTitle}".`],
      { gigId, commentId, authorId },
    ),
  ),
  rule(api.crewChanged, ({ crewId, name, invited, leadAgentId }, tell) =>
    tell(invited, ['crew_invited', 'Crew invitation', `You are invited to the crew "${name}".`], { crewId, leadAgentId }),
  ),

  rule(api.validationOpened, ({ validationId, gigId, jobId, title, panel, rewardPerValidator, expiresAt }, tell) =>
    tell(
      panel,
      ['swarm_vote_needed', 'Your vote is needed', `Please judge the deliverable of "${title}" (reward ${formatUsdc(rewardPerValidator)}).`],
      { validationId, gigId, jobId, expiresAt },
    ),
  ),
  rule(api.panelChanged, ({ validationId, gigId, jobId, title, added, rewardPerValidator, expiresAt }, tell) =>
    tell(
      added,
      ['swarm_vote_needed', 'Your vote is needed', `Please judge the deliverable of "${title}" (reward ${formatUsdc(rewardPerValidator)}).`],
      { validationId, gigId, jobId, expiresAt },
    ),
  ),
  rule(api.validationResolved, ({ validationId, gigId, jobId, title, posterId, assigneeId, verdict, approvals, rejections }, tell) => {
    const count = `${approvals} approved, ${rejections} rejected`
    if (verdict === 'approved')
      tell([posterId, assigneeId], ['validation_approved', 'Deliverable approved', `The swarm approved "${title}" (${count}).`], {
        validationId,
        gigId,
        jobId,
      })
    else
      tell([posterId, assigneeId], ['validation_rejected', 'Deliverable rejected', `The swarm rejected "${title}" (${count}).`], {
        validationId,
        gigId,
        jobId,
      })
  }),
  rule(api.validationExpired, ({ validationId, gigId, jobId, title, posterId, assigneeId, nextValidationId }, tell) =>
    tell([posterId, assigneeId], ['validation_expired', 'No verdict', `The swarm found no consensus on "${title}".`], {
      validationId,
      gigId,
      jobId,
      nextValidationId,
    }),
  ),
  rule(api.slashFrozen, ({ assigneeId, validationId, gigId, jobId, reason, appealUntil }, tell) =>
    tell(assigneeId, ['slash_frozen', 'Slash frozen', `${reason}. You may appeal.`], { validationId, gigId, jobId, appealUntil }),
  ),
  rule(api.appealFiled, ({ posterId, validationId, appealId, gigId, title, expiresAt }, tell) =>
    tell(posterId, ['validation_appeal', 'Appeal filed', `The assignee appealed against the verdict on "${title}".`], {
      validationId,
      appealId,
      gigId,
      expiresAt,
    }),
  ),

  rule(api.rewardFunded, ({ rewards, validationId, gigId, jobId, title }, tell) => {
    for (const { validatorId, amount } of rewards)
      tell(validatorId, ['reward_claimable', 'Reward to claim', `${formatUsdc(amount)} for your vote on "${title}" can be claimed.`], {
        validationId,
        gigId,
        jobId,
        amount: api.usd(amount),
      })
  }),
  rule(api.rewardPaid, ({ validatorId, amount, claimId, chain, txHash }, tell) =>
    tell(validatorId, ['reward_paid', 'Reward paid', `${formatUsdc(amount)} of rewards were paid to your wallet.`], {
      claimId,
      chain,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowLocked, ({ posterId, assigneeId, gigId, gigTitle, amount, txHash }, tell) =>
    tell([posterId, assigneeId], ['escrow_locked', 'Escrow locked', `${formatUsdc(amount)} for "${gigTitle}" are locked.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowReleased, ({ posterId, assigneeId, gigId, gigTitle, net, fee, txHash }, tell) =>
    tell([posterId, assigneeId], ['escrow_released', 'Escrow released', `${formatUsdc(net)} for "${gigTitle}" were paid (fee ${formatUsdc(fee)}).`], {
      gigId,
      txHash,
      net: api.usd(net),
      fee: api.usd(fee),
    }),
  ),
  rule(api.escrowRefunded, ({ posterId, assigneeId, gigId, gigTitle, amount, txHash, reason }, tell) =>
    tell([posterId, assigneeId], ['escrow_refunded', 'Escrow refunded', `${formatUsdc(amount)} for "${gigTitle}" went back.`], {
      gigId,
      txHash,
      reason,
      amount: api.usd(amount),
    }),
  ),
  rule(api.escrowRestated, ({ posterId, assigneeId, gigId, gigTitle, amount, status, unpaid, txHash }, tell) => {
    if (!unpaid) return
    const undone = `The chain took back the payment for "${gigTitle}"`
    const [type, where] =
      status === 'refunded'
        ? (['escrow_refunded', `${formatUsdc(amount)} went back to where they came from.`] as const)
        : (['escrow_failed', 'The budget had not been locked, nothing is locked now.'] as const)
    tell([posterId, assigneeId], [type, 'Payment undone', `${undone}. ${where}`], { gigId, txHash, amount: api.usd(amount) })
  }),
  rule(api.escrowDisputed, ({ posterId, assigneeId, gigId, gigTitle, reason, deadlineAt }, tell) =>
    tell([posterId, assigneeId], ['escrow_disputed', 'Dispute', `The escrow of "${gigTitle}" is disputed: ${reason}`], { gigId, deadlineAt }),
  ),
  rule(api.escrowFailed, ({ posterId, assigneeId, gigId, gigTitle, code, wasLocked }, tell) => {
    const why = wasLocked
      ? `The chain took back the lock of the budget of "${gigTitle}".`
      : `The budget of "${gigTitle}" could not be locked (${code}).`
    tell(wasLocked ? [posterId, assigneeId] : posterId, ['escrow_failed', 'Escrow failed', `${why} Nothing is locked now.`], { gigId, code })
  }),
  rule(api.escrowDecided, ({ posterId, assigneeId, gigId, gigTitle, outcome, reason, by }, tell) => {
    if ((reason === 'dispute' || reason === 'default') && (outcome === 'release' || outcome === 'refund'))
      tell([posterId, assigneeId], ['dispute_resolved', 'Dispute resolved', `The dispute on "${gigTitle}" ended with a ${outcome}.`], {
        gigId,
        outcome,
        by,
      })
  }),
  rule(api.receiptIssued, ({ posterId, assigneeId, receiptId, gigId, gigTitle }, tell) =>
    tell([posterId, assigneeId], ['receipt_issued', 'Trust receipt', `The trust receipt of "${gigTitle}" is there.`], { receiptId, gigId }),
  ),
  rule(api.bondDeposited, ({ agentId, amount, totalBonded, txHash }, tell) =>
    tell(agentId, ['bond_deposited', 'Bond deposited', `${formatUsdc(amount)} were added to your bond (total ${formatUsdc(totalBonded)}).`], {
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondLocked, ({ agentId, amount, gigId, txHash }, tell) =>
    tell(agentId, ['bond_locked', 'Bond locked', `${formatUsdc(amount)} of your bond are locked for a gig.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondUnlocked, ({ agentId, amount, gigId, txHash }, tell) =>
    tell(agentId, ['bond_unlocked', 'Bond unlocked', `${formatUsdc(amount)} of your bond are free again.`], {
      gigId,
      txHash,
      amount: api.usd(amount),
    }),
  ),
  rule(api.bondLockFailed, ({ agentId, amount, gigId, wasLocked, isLockedAgain }, tell) => {
    const next = isLockedAgain ? 'It is being locked once more.' : 'It is free again.'
    if (wasLocked)
      tell(agentId, ['bond_lost', 'Bond lock undone', `The chain took back the lock of ${formatUsdc(amount)} for a gig. ${next}`], { gigId })
  }),
  rule(api.gigBondLost, ({ posterId, gigId, gigTitle, bondRequired }, tell) =>
    tell(
      posterId,
      ['bond_lost', 'Bond lost', `The chain took back the lock of the bond of ${formatUsdc(bondRequired)} for "${gigTitle}". It goes on without.`],
      {
        gigId,
      },
    ),
  ),
  rule(api.bondWalletChanged, ({ agentId, walletAddress, effectiveAt }, tell) =>
    tell(agentId, ['bond_wallet_changed', 'Bond wallet changed', `Withdrawals will go to ${walletAddress} from ${effectiveAt}.`], {
      walletAddress,
      effectiveAt,
    }),
  ),
  rule(api.bondSlashed, ({ agentId, amount, slashId, reason, gigId }, tell) =>
    tell(agentId, ['slash_applied', 'Bond slashed', `${formatUsdc(amount)} of your bond were taken: ${reason}`], {
      slashId,
      gigId,
      amount: api.usd(amount),
    }),
  ),
  rule(api.slashReversed, ({ agentId, amount, slashId, reason }, tell) =>
    tell(agentId, ['slash_reversed', 'Slash reversed', `${formatUsdc(amount)} were given back to your bond: ${reason}`], {
      slashId,
      amount: api.usd(amount),
    }),
  ),

  rule(api.paymentQueued, ({ fromAgentId, paymentId, amount, executeAfter }, tell) =>
    tell(fromAgentId, ['treasury_payment_queued', 'Payment queued', `${formatUsdc(amount)} will be paid at ${executeAfter} unless you cancel.`], {
      paymentId,
      executeAfter,
      amount: Number(amount),
    }),
  ),
  rule(api.paymentExecuted, ({ fromAgentId, toAgentId, paymentId, amount, txHash }, tell) => {
    tell(fromAgentId, ['treasury_payment_executed', 'Payment made', `${formatUsdc(amount)} were paid.`], {
      paymentId,
      txHash,
      amount: Number(amount),
    })
    tell(toAgentId, ['payment_received', 'Payment received', `You received ${formatUsdc(amount)}.`], {
      paymentId,
      txHash,
      fromAgentId,
      amount: Number(amount),
    })
  }),
  rule(api.paymentFailed, ({ fromAgentId, paymentId, amount, code }, tell) =>
    tell(fromAgentId, ['treasury_payment_failed', 'Payment failed', `${formatUsdc(amount)} were not paid (${code}).`], {
      paymentId,
      amount: Number(amount),
    }),
  ),
  rule(api.paymentCancelled, ({ fromAgentId, paymentId, amount }, tell) =>
    tell(fromAgentId, ['treasury_payment_cancelled', 'Payment cancelled', `The payment of ${formatUsdc(amount)} was cancelled.`], {
      paymentId,
      amount: Number(amount),
    }),
  ),
  rule(api.depositReceived, ({ agentId, amount, chain, txHash, kind }, tell) =>
    tell(agentId, ['treasury_deposit', 'Treasury deposit', `${formatUsdc(amount)} arrived in your treasury on ${chain}.`], {
      chain,
      txHash,
      kind,
      amount: Number(amount),
    }),
  ),
  rule(api.limitChanged, ({ agentId, dailyLimit, effectiveAt }, tell) =>
    tell(agentId, ['treasury_limit_changed', 'Daily limit changed', `Your daily limit is ${formatUsdc(dailyLimit)} from ${effectiveAt}.`], {
      dailyLimit: Number(dailyLimit),
      effectiveAt,
    }),
  ),
]
