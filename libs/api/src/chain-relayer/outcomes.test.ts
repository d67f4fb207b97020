import assert from 'node:assert/strict'
import { apis } from '../apis.ts'
import type { ServiceApi } from '../core/service-api.ts'
import { type CommandKind, commandKinds } from './command-kinds.ts'
import { chainOutcome, commandOutcomes, outcomeNameOf, outcomesOf } from './outcomes.ts'

/** Nothing follows these: a mark on a slot, a picture on a card, a note in a registry. */
const withoutReader: readonly CommandKind[] = ['card.update', 'card.burn', 'feedback.give', 'escrow.dispute', 'escrow.approve', 'lane.approve']
const kinds = Object.keys(commandKinds) as CommandKind[]
const services: readonly ServiceApi[] = Object.values(apis)

describe('the events about commands', () => {
  it('have the kind in their type', () => {
    assert.equal(chainOutcome('escrow.lock-x402').failed.type, 'chain.command.escrow-lock-x402.failed.v1')
    assert.equal(Object.keys(commandOutcomes).length, kinds.length * 5)
  })

  it('name their outcome, other events none', () => {
    for (const [name, { type }] of Object.entries(chainOutcome('swarm.vote'))) assert.equal(outcomeNameOf(type), name)
    for (const type of ['chain.command.v1', 'chain.event.removed.v1', 'escrow.reward.failed.v1']) assert.equal(outcomeNameOf(type), undefined)
  })

  it('are consumed by the service that sends the command; treasury follows what it reserved money for', () => {
    for (const { name, consumes } of services) {
      const types = new Set(consumes.map(({ type }) => type))
      const followed = kinds.filter(kind =>
        outcomesOf([kind], ['submitted', 'confirmed', 'finalized', 'failed', 'reorged']).some(({ type }) => types.has(type)),
      )
      const foreign = followed.filter(kind => commandKinds[kind] !== name)
      assert.deepEqual(foreign, name === 'treasury' ? ['escrow.lock', 'escrow.lock-x402', 'bond.deposit', 'job.fund', 'domain.mint'] : [], name)
    }
  })

  it('of every kind have a reader of its failure, but those that nothing follows', () => {
    const types = new Set(services.flatMap(({ consumes }) => consumes.map(({ type }) => type)))
    const unread = kinds.filter(kind => !apis[commandKinds[kind]].planned && !types.has(chainOutcome(kind).failed.type))
    assert.deepEqual(new Set(unread), new Set(withoutReader))
  })
})
