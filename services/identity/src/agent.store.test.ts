import assert from 'node:assert/strict'
import { chains } from '@carapace/api'
import { perChain } from '@carapace/chain'
import { upgradeAgent } from './agent.store.ts'
import type { Agent, Step } from './agent.ts'
import { onCard, onDrip, onIdentity, register, registerOn, registrationStatus } from './registration/registration.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const wallet = `0x${'11'.repeat(20)}`
const at = { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 5 }
const application = {
  ...{ id: '0190a5d0-0000-7000-8000-000000000001', handle: 'alice', wallet, walletProven: true, description: null, skills: [], agentType: null },
  ...{ chain: 'SKALE_TESTNET' as const, cardTokenId: 7, platform: false, operationId: 'op-1' },
}
const registered = () => register(application, { now, newId: () => application.id, baseUrl: 'http://localhost' }).state
const confirmed = { is: 'confirmed' as const, round: 1, seq: 2, ...at, at: now }
const failed = { is: 'failed' as const, round: 1, seq: 2, error: 'REVERTED: ', attempts: 5 }
const onChain = () => onCard(onIdentity(registered(), 'SKALE_TESTNET', confirmed, '9')!.state, 'SKALE_TESTNET', confirmed)!.state
const unregistered = () => onIdentity(registered(), 'SKALE_TESTNET', failed, null)!.state

const noCommand = { status: 'none', round: 0, seq: 0, txHash: null, blockNumber: null, error: null }
const oldStep = <S extends Step>({ onChain, ...rest }: S) => ({ ...rest, ...(onChain ?? noCommand) })
/** As agents were stored before a step had `onChain`. */
const inOldForm = (agent: Agent): Agent => {
  const registrations = perChain(chain => ({ identity: oldStep(agent.chains[chain].identity), card: oldStep(agent.chains[chain].card) }))
  return { ...agent, chains: registrations, drip: oldStep(agent.drip) } as unknown as Agent
}
const upgraded = (agent: Agent): Agent => upgradeAgent(inOldForm(agent))

describe('an agent that was stored before its steps had one field on chain', () => {
  it('is the same in the present form, wherever its registration was', () => {
    for (const agent of [registered(), onChain(), unregistered()]) assert.deepEqual(upgraded(agent), agent)
  })

  it('follows the outcomes that are newer than those that it knew', () => {
    const agent = upgraded(onChain())

    assert.equal(onIdentity(agent, 'SKALE_TESTNET', { is: 'reorged', round: 1, seq: 2 }, null), undefined)
    const reorged = onIdentity(agent, 'SKALE_TESTNET', { is: 'reorged', round: 1, seq: 3 }, null)!.state
    assert.deepEqual([registrationStatus(agent), registrationStatus(reorged)], ['completed', 'pending'])
    assert.deepEqual(reorged.chains.SKALE_TESTNET.identity.onChain, {
      ...{ status: 'pending', txHash: at.txHash, blockNumber: null, error: null, round: 1, seq: 3 },
    })
  })

  it('is registered again in the next round of what failed', () => {
    const { state } = registerOn(upgraded(unregistered()), 'SKALE_TESTNET', 'http://localhost')!
    const { identity, card } = state.chains.SKALE_TESTNET

    assert.deepEqual([identity.onChain?.status, identity.onChain?.round, identity.onChain?.seq, card.onChain?.round], ['pending', 2, 2, 1])
  })

  it('gets its gas money once', () => {
    const agent = upgraded(onChain())

    assert.equal(agent.drip.onChain?.status, 'pending')
    assert.equal(onDrip(agent, confirmed)!.state.drip.onChain?.status, 'confirmed')
    assert.deepEqual(
      chains.map(chain => agent.chains[chain].identity.onChain === null),
      chains.map(chain => chain !== 'SKALE_TESTNET'),
    )
  })

  it('is left alone in the present form', () => {
    const agent = onChain()

    assert.equal(upgradeAgent(agent), agent)
  })
})
