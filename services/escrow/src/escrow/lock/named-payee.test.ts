import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import * as api from '@carapace/api'
import { onChainKey } from '@carapace/chain'
import { commandConfirmed, doctorChecks, newHash, newWallet } from '@carapace/testing'
import { assignment, blank, chainAt, start, verdict, wallets } from '../../testing/facts.ts'
import { contracts, until } from '../../testing/harness.ts'
import { eventOf, lockFunds, newGig, type Scenario, untilStatus } from '../../testing/scenario.ts'
import { sharedHarness } from '../../testing/shared-harness.ts'
import { advance } from '../advance.ts'
import type { Escrow, Lock } from '../escrow.ts'
import { acceptDirect, lockConfirmed, reserveLock } from './transitions.ts'

/** Whom a lock will pay is known for certain only where a command of ours has named him. */
describe('the payee of a lock', () => {
  const harness = sharedHarness()
  const moment = { now: start, timers: false, splitTo: null }
  const sent = ({ gigId }: Scenario, kind: string) => harness.commands.filter(command => command.kind === kind && command.opKey.includes(gigId))
  const isNamed = (scenario: Scenario) => until('the assignee is named', () => sent(scenario, 'escrow.payee').at(0))
  const assignedGig = async () => {
    const scenario = await newGig(harness)
    for (const draft of [eventOf.posted(scenario), eventOf.assigned(scenario)]) await harness.platform.publish(draft)
    return scenario
  }
  const lockDirectly = ({ gigId, poster, worker, amount }: Scenario) =>
    harness.platform.publish(
      api.chainEvent('Escrow', 'EscrowLocked').of({
        ...{ logId: randomUUID(), network: 'BASE_SEPOLIA', contract: 'Escrow', event: 'EscrowLocked', address: contracts.escrow, logIndex: 0 },
        ...{ txHash: newHash(), blockNumber: 3, blockHash: newHash(), blockTime: 1, final: true },
        args: { key: onChainKey(gigId), poster: poster.wallet, payee: worker.wallet, amount: String(amount) },
      } as never),
    )

  it('is named in a direct lock also where its depositor has named him: another lock may be in its place', async () => {
    const scenario = await assignedGig()

    await lockDirectly(scenario)

    const { args } = await isNamed(scenario)
    assert.deepEqual([args.payee, args.amount], [scenario.worker.wallet, String(scenario.amount)])
    assert.deepEqual([sent(scenario, 'escrow.accept').length, (await untilStatus(harness, scenario.gigId, 'locked')).fundedFrom.kind], [1, 'onchain'])
  })

  it('is named before the payout in a direct lock that was accepted before this rule', () => {
    const direct = { poster: wallets.poster, payee: wallets.worker, amount: blank().amount, txHash: chainAt.txHash, blockNumber: 3 }
    const accepted = acceptDirect({ ...blank(), assignment, directLock: direct }, 'o').state
    const { state } = lockConfirmed(accepted, { ...chainAt, round: 1, seq: 1 }, moment)!
    const stored: Escrow = { ...state, lock: { ...(state.lock as Lock), payee: wallets.worker, payeeOnChain: null } }

    const kinds = advance({ ...stored, verdict: verdict('approved') }, moment).events.map(({ data }) => data.kind)

    assert.deepEqual(kinds.filter(Boolean), ['escrow.payee', 'escrow.settle'])
  })

  it('stays as it is where the lock is confirmed again, in another block, while it is paid out', () => {
    const own = { kind: 'allowance', from: wallets.poster, poster: wallets.poster, payee: wallets.worker } as const
    const sent = reserveLock({ ...blank(), assignment }, { operationId: 'o', ...own }).state
    const { state: locked } = lockConfirmed(sent, { ...chainAt, round: 1, seq: 1 }, moment)!
    const { state: releasing } = advance({ ...locked, verdict: verdict('approved') }, moment)

    const again = lockConfirmed(releasing, { ...chainAt, blockNumber: 99, round: 1, seq: 3, already: true }, moment)

    assert.deepEqual([releasing.status, again?.state.lock?.payee], ['releasing', wallets.worker])
  })

  it('is named in a lock of an earlier round, which knew no assignee', async () => {
    const scenario = await newGig(harness)
    harness.chain = () => 'fail'
    await lockFunds(harness, scenario)
    await harness.platform.publish(eventOf.assigned(scenario))
    harness.chain = ({ kind }) => (kind === 'escrow.lock' ? 'wait' : 'confirm')
    await lockFunds(harness, scenario, { prefer: 'respond-async' })
    const second = await until('it is requested again', () => sent(scenario, 'escrow.lock').find(({ round }) => round === 2))
    const args = { from: scenario.poster.wallet, to: contracts.escrow, value: String(scenario.amount) }
    const logs = [{ contract: 'USDC', event: 'Transfer', args, address: newWallet(), logIndex: 0, logPosition: 0 }]

    const outcome = commandConfirmed(second, { already: true, logs })
    harness.memory.note(outcome)
    await harness.platform.publish(outcome)

    assert.equal((await isNamed(scenario)).args.payee, scenario.worker.wallet)
  })

  it('raises an alarm where the contract has paid somebody else', async () => {
    const scenario = await newGig(harness)
    await lockFunds(harness, scenario)
    harness.chain = ({ kind }) => (kind === 'escrow.settle' ? 'wait' : 'confirm')
    for (const draft of [eventOf.assigned(scenario), eventOf.submitted(scenario), eventOf.resolved(scenario, 'approved')])
      await harness.platform.publish(draft)
    const settle = await until('the payout is sent', () => sent(scenario, 'escrow.settle').at(0))
    const stranger = newWallet()
    const paid = { payee: stranger, net: '38800000', fee: '1200000', splitTo: stranger, splitAmount: '0' }
    const log = { contract: 'Escrow', event: 'EscrowReleased', args: { key: onChainKey(scenario.gigId), ...paid } }

    const outcome = commandConfirmed(settle, { logs: [{ ...log, address: contracts.escrow, logIndex: 0, logPosition: 0 }] })
    harness.memory.note(outcome)
    await harness.platform.publish(outcome)

    await untilStatus(harness, scenario.gigId, 'released')
    const detail = (await doctorChecks(harness.platform, 'escrow')).find(({ name }) => name === 'settlements')?.detail
    assert.deepEqual(detail, [`escrow ${scenario.gigId} paid ${stranger}, which is not its payee`])
    await harness.platform
      .service('escrow')
      .platform.db.connection.collection<{ _id: string }>('escrows')
      .updateOne({ _id: scenario.gigId }, { $unset: { 'settlement.paidTo': 1 } })
  })
})
