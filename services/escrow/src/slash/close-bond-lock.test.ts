import assert from 'node:assert/strict'
import type { Bond } from '../bond/bond.ts'
import type { Parts } from '../parts.ts'
import { assignment, blank, start, verdict } from '../testing/facts.ts'
import { closeBondLock } from './close-bond-lock.ts'
import type { Slash } from './slash.ts'

const frozen: Slash = {
  ...{ id: 's1', agentId: assignment.assigneeId, gigId: blank().id, gigTitle: null, gigBudget: null, chain: 'BASE_SEPOLIA', by: 'swarm' },
  ...{ validationId: 'v1', amount: 8n, reason: 'late', status: 'FROZEN', scoreBefore: null, txHash: null, isPending: false },
}
const lock = { gigId: blank().id, stage: 'locked', amount: 40n }
const outcomes = { slashed: 'refund', spared: 'release' } as const

/** What a delivery that has read the frozen row makes of the row that another one has changed meanwhile. */
async function changed(end: keyof typeof outcomes, locks: object[], present: Slash): Promise<(Partial<Slash> | undefined)[]> {
  const changes: (Partial<Slash> | undefined)[] = []
  const result = end === 'slashed' ? verdict('rejected') : verdict('approved')
  const decision = { outcome: outcomes[end], reason: 'verdict', by: 'swarm', at: start } as const
  // the slash of the other delivery is on the bond
  const bond = { id: assignment.assigneeId, locks, moves: [{ id: frozen.id }] } as unknown as Bond
  const parts = {
    escrows: { get: async () => ({ ...blank(), assignment, verdict: result, decision }) },
    bonds: { get: async () => bond, change: async () => bond },
    bondHistory: { newest: async () => undefined },
    performances: { of: async () => ({ fusedScore: 15 }) },
    queue: { serialize: (_: string, work: () => unknown) => work() },
    clock: { now: () => start },
    newId: () => 'u1',
    slashes: {
      ofValidation: async () => frozen,
      become: async (_: string, change: (row: Slash) => Partial<Slash> | undefined) => void changes.push(change(present)),
    },
  } as unknown as Parts
  await closeBondLock(parts, blank().id)
  return changes
}

describe('a frozen slash that two concurrent deliveries decide', () => {
  for (const [title, end, locks] of [
    ['whose lock is lost', 'slashed', []],
    ['that is spared', 'spared', []],
    ['that is made', 'slashed', [lock]],
  ] as const)
    it(`${title}: is decided by the first`, async () => {
      assert.equal((await changed(end, [...locks], frozen)).filter(change => change !== undefined).length, 1)
      assert.deepEqual(await changed(end, [...locks], { ...frozen, isPending: true }), [undefined])
      for (const status of ['APPLIED', 'DROPPED', 'REVERSED'] as const)
        assert.deepEqual(await changed(end, [...locks], { ...frozen, status }), [undefined], status)
    })
})
