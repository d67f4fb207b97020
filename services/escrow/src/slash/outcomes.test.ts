import assert from 'node:assert/strict'
import { type CloudEvent, cloudEvent } from '@carapace/api'
import { commandFailed } from '@carapace/testing'
import { type Bond, noBond } from '../bond/bond.ts'
import type { BondDecision } from '../bond/bond-decision.ts'
import { requestSlash } from '../bond/requests/request-slash.ts'
import type { Parts } from '../parts.ts'
import { start } from '../testing/facts.ts'
import { slashChain } from './outcomes.ts'

const slashId = '0190a5d0-0000-7000-8000-000000000001'
const agent = { id: '0190a5d0-0000-7000-8000-000000000002', wallet: `0x${'22'.repeat(20)}`, chain: 'BASE_SEPOLIA' as const }

/** A bond with a slash under way. The service ends before the first write of a row. */
function slashedBond() {
  const request = { slashId, operationId: slashId, amount: 10n, gigId: null, reason: 'late', validationId: null, by: 'oracle' as const, now: start }
  let bond: Bond = requestSlash({ ...noBond(agent), free: 100n }, request).state
  const dropped: string[] = []
  let isEnding = true
  const parts = {
    bonds: {
      waitingFor: async () => agent,
      get: async () => bond,
      change: async (_: string, decide: (present: Bond) => BondDecision | undefined) => {
        bond = decide(bond)?.state ?? bond
        return bond
      },
    },
    queue: { serialize: (_: string, work: () => unknown) => work() },
    clock: { now: () => start },
    slashes: {
      failed: async (id: string) => {
        if (isEnding) throw new Error('the process ends')
        dropped.push(id)
      },
    },
  } as unknown as Parts
  const command = {
    opKey: `bond.slash:${slashId}`,
    kind: 'bond.slash',
    network: agent.chain,
    round: 1,
    aggregateKey: `bond:${agent.wallet}`,
    args: {},
  } as const
  const failure = (seq: number): CloudEvent => {
    const draft = commandFailed(command, { seq })
    return cloudEvent(draft, { id: slashId, source: '/carapace/chain-relayer', time: start.toISOString(), aggregateversion: seq })
  }
  const receive = async (event: CloudEvent) => {
    for (const { types, handle } of slashChain(parts)) if (types.includes(event.type)) await handle(event)
  }
  return {
    receive,
    failure,
    dropped,
    restart: () => {
      isEnding = false
    },
    free: () => bond.free,
  }
}

describe('a slash whose command failed', () => {
  it('is dropped by the next delivery where the service ended between the bond and the row', async () => {
    const { receive, failure, dropped, restart, free } = slashedBond()

    await assert.rejects(receive(failure(2)), /the process ends/)
    assert.equal(free(), 100n)
    restart()
    await receive(failure(2))

    assert.deepEqual([dropped, free()], [[slashId], 100n])
  })
})
