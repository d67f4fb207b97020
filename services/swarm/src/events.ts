import * as api from '@carapace/api'
import { Retry } from '@carapace/bus'
import { operationParts } from '@carapace/chain'
import { on, type Subscription } from '@carapace/service'
import { closeClaim, rewardId } from './claim.ts'
import { openForSubmission } from './open.ts'
import type { Parts } from './parts.ts'
import { fund, type Reward } from './reward.ts'
import { facts, rewardOf, type Vote, voteOnChain } from './validation.ts'

export const events = (parts: Parts): Subscription[] => [
  ...parts.agents.subscriptions,
  ...parts.facts.subscriptions,
  on(api.gigSubmitted, payload => openForSubmission(parts, { ...payload, title: payload.gigTitle })),
  on(api.escrowDecided, ({ validationId, outcome }) =>
    validationId === null || outcome === 'unfunded' ? Promise.resolve() : accrue(parts, validationId),
  ),
  on(api.rewardFunded, async ({ validationId, rewards }) => {
    for (const { validatorId, funded } of rewards) {
      const id = rewardId(validationId, validatorId)
      if (!(await parts.rewards.rows.get(id))) throw new Retry('the reward is not accrued yet')
      await parts.rewards.rows.change(id, reward => fund(reward, funded, parts.clock.now()))
    }
  }),
  on(api.rewardPaid, paid => closeClaim(parts, paid, 'paid', paid.txHash)),
  on(api.rewardFailed, failed => closeClaim(parts, failed, 'failed', null)),
  on(api.chainCommandConfirmed, ({ kind, opKey, txHash, blockNumber }) =>
    kind === 'swarm.vote' ? noteVote(parts, opKey, { status: 'confirmed', txHash, blockNumber, error: null }) : Promise.resolve(),
  ),
  on(api.chainCommandSubmitted, ({ kind, opKey, txHash }) =>
    kind === 'swarm.vote' ? noteVote(parts, opKey, { status: 'pending', txHash, blockNumber: null, error: null }) : Promise.resolve(),
  ),
  on(api.chainCommandFailed, ({ kind, opKey, terminal, message, txHash }) =>
    kind === 'swarm.vote' && terminal
      ? noteVote(parts, opKey, { status: 'failed', txHash: txHash ?? null, blockNumber: null, error: message })
      : Promise.resolve(),
  ),
]

/** Rewards of a funded validation accrue in full for those who voted with the verdict; a second time changes nothing. */
async function accrue(parts: Parts, validationId: string): Promise<void> {
  const validation = (await parts.validations.get(validationId)) ?? retry('the validation is not known yet')
  if (validation.status !== 'approved' && validation.status !== 'rejected') return
  const winning = validation.status === 'approved' ? 'approve' : 'reject'
  const amount = rewardOf(validation)
  const winners = validation.votes.filter(vote => vote.vote === winning).map(vote => vote.voterId)
  const now = parts.clock.now()
  for (const validatorId of winners) {
    const reward: Reward = {
      id: rewardId(validationId, validatorId),
      validationId,
      validatorId,
      gigId: validation.gigId,
      gigTitle: validation.title,
      chain: validation.chain,
      accrued: amount,
      funded: 0n,
      claiming: 0n,
      claimed: 0n,
      claimId: null,
      accruedAt: now,
      fundedAt: null,
    }
    if (!(await parts.rewards.rows.get(reward.id))) await parts.rewards.rows.create(reward, [], { cause: `accrue:${validationId}` })
  }
  const rewards = winners.map(validatorId => ({ validatorId, amount }))
  if (rewards.length)
    await parts.validations.change(validationId, state => ({ state, events: [api.rewardAccrued.of({ ...facts(validation), rewards })] }), {
      cause: `accrue:${validationId}`,
    })
}

async function noteVote(parts: Parts, opKey: string, outcome: Pick<Vote, 'status' | 'txHash' | 'blockNumber' | 'error'>): Promise<void> {
  const [, validationId, wallet = ''] = operationParts(opKey)
  await parts.validations.change(validationId, validation => {
    const voter = validation.panel.find(seat => seat.wallet.toLowerCase() === wallet.toLowerCase())
    const vote = validation.votes.find(entry => entry.voterId === voter?.agentId)
    return vote ? voteOnChain(validation, vote.id, outcome) : undefined
  })
}

function retry(reason: string): never {
  throw new Retry(reason)
}
