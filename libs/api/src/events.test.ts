import assert from 'node:assert/strict'
import { apis } from './apis.ts'
import type { PayloadOf } from './core/event.ts'
import type { AnyEvent, ServiceApi } from './core/service-api.ts'
import { gigAssigned } from './marketplace/events.ts'

const all: readonly ServiceApi[] = Object.values(apis)
const events: AnyEvent[] = all.flatMap(api => Object.values(api.events))
const names = new Set(events.map(event => event.name))

/** Behaviour 15, row by row; what follows a semicolon shares the first word or two. */
const required = `
identity.agent.registered identity.agent.updated identity.agent.status-changed identity.agent.onchain-confirmed identity.agent.onchain-failed
identity.agent.heartbeat-recorded identity.agent.migrated identity.skill.attached identity.skill.removed identity.skill.verified
reputation.score.changed reputation.tier.changed reputation.risk.changed reputation.score.synced
marketplace.gig.posted marketplace.application.created marketplace.offer.made marketplace.offer.answered
marketplace.comment.posted marketplace.gig.assigned marketplace.gig.submitted marketplace.gig.completed marketplace.gig.cancelled
marketplace.gig.disputed marketplace.crew.changed
swarm.validation.opened swarm.vote.cast swarm.validation.resolved swarm.validation.expired swarm.slash.frozen swarm.appeal.filed
swarm.appeal.closed swarm.reward.accrued swarm.reward.claim-requested
escrow.escrow.decided escrow.escrow.locked escrow.escrow.released escrow.escrow.refunded escrow.escrow.disputed escrow.escrow.failed
escrow.bond.deposited escrow.bond.withdrawn escrow.bond.locked escrow.bond.unlocked escrow.bond.slashed escrow.bond.slash-reversed
escrow.receipt.issued escrow.reward.funded escrow.reward.paid escrow.reward.failed
commerce.job.created commerce.job.funded commerce.job.applied commerce.job.assigned commerce.job.submitted commerce.job.settled
commerce.job.rejected commerce.job.cancelled commerce.job.disputed commerce.receipt.issued
treasury.wallet.created treasury.deposit.received treasury.payment.queued treasury.payment.executed treasury.payment.failed
treasury.payment.cancelled treasury.limit.changed treasury.reservation.made treasury.reservation.captured treasury.reservation.voided
treasury.x402.settled
domains.domain.registered domains.domain.transferred domains.domain.deleted domains.domain.synced
social.agent.followed social.agent.unfollowed social.comment.posted social.message.sent social.offer.answered social.review.published
notifications.webhook.disabled gateway.clock.advanced
chain.command.escrow-lock.submitted chain.command.escrow-lock.confirmed chain.command.escrow-lock.finalized chain.command.escrow-lock.failed
chain.command.escrow-lock.reorged chain.command.escrow-lock-x402.confirmed chain.command.swarm-vote.confirmed chain.event.removed
chain.event.Escrow.EscrowLocked chain.event.Bond.BondDeposited chain.event.USDC.Transfer
identity.snapshot.published marketplace.snapshot.published swarm.snapshot.published escrow.snapshot.published
reputation.snapshot.published treasury.snapshot.published commerce.snapshot.published domains.snapshot.published`
  .trim()
  .split(/\s+/)

describe('the domain events', () => {
  it('are all declared', () => {
    assert.deepEqual(
      required.filter(name => !names.has(name)),
      [],
    )
  })

  it('have one declaration each', () => {
    assert.equal(names.size, events.length)
  })

  it('name a subject that is in the payload', () => {
    for (const event of events) assert.ok(event.subject in event.payload.shape, event.name)
  })

  it('carry money as decimal text and give it back as bigint', () => {
    const at = '2026-01-01T00:00:00.000Z'
    const payload: PayloadOf<typeof gigAssigned> = {
      gigId: 'g1',
      gigTitle: 'Audit',
      posterId: 'p1',
      assigneeId: 'a1',
      crewId: null,
      memberIds: [],
      chain: 'BASE_SEPOLIA',
      by: 'application',
      skillsRequired: [],
      feeBp: 300,
      budget: 12_345_678n,
      bondRequired: 0n,
      assignedAt: at,
      deadlineAt: at,
    }

    const draft = gigAssigned.of(payload)
    const travelled = JSON.parse(JSON.stringify(draft)) as typeof draft

    assert.equal(draft.routingKey, 'marketplace.gig.assigned.v1')
    assert.equal(draft.subject, 'g1')
    assert.equal(travelled.data.budget, '12345678')
    assert.deepEqual(gigAssigned.read(travelled.data), payload)
  })
})
