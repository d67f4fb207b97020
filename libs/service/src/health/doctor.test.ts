import assert from 'node:assert/strict'
import { Refusal } from '@carapace/api'
import type { Database } from '@carapace/store'
import { makeLog } from '../telemetry/log.ts'
import { doctorHandlers } from './doctor.ts'

const parts = {
  log: makeLog({ process: 'test', level: 'silent' }),
  db: {} as Database,
  outcomes: { faults: async () => ['escrow 1: not handled here'], awaits: async () => [] },
}

describe('what a service answers the doctor', () => {
  it('counts a check that cannot be made as one thing wrong', async () => {
    const contracts = () => Promise.reject(new Refusal('CHAIN_UNAVAILABLE'))

    const { checks } = await doctorHandlers(parts, { ledger: async () => [], contracts }).doctorReport()

    assert.deepEqual(checks, [
      { name: 'ledger', count: 0, detail: [] },
      { name: 'contracts', count: 1, detail: ['cannot be checked now: The network is not available'] },
      { name: 'outcomes', count: 1, detail: ['escrow 1: not handled here'] },
    ])
  })

  it('reads all that there is', async () => {
    const extents: string[] = []
    const ledger = async (_: unknown, extent: string) => {
      extents.push(extent)
      return []
    }
    await doctorHandlers(parts, { ledger }).doctorReport()

    assert.deepEqual(extents, ['whole'])
  })

  it('names no fault that was read between two writes: it is read again', async () => {
    let reads = 0
    const ledger = async () => (++reads === 1 ? ['the row says 1, the accounts 2'] : [])

    const { checks } = await doctorHandlers(parts, { ledger, contracts: async () => ['swarmValidator owes 2 and holds 1'] }).doctorReport()

    assert.deepEqual(
      checks.map(({ name, count }) => [name, count]),
      [
        ['ledger', 0],
        ['contracts', 1],
        ['outcomes', 1],
      ],
    )
  })
})
