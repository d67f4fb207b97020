import assert from 'node:assert/strict'
import { Refusal } from '@carapace/api'
import type { Database } from '@carapace/store'
import { makeLog } from '../telemetry/log.ts'
import { doctorHandlers } from './doctor.ts'

describe('what a service answers the doctor', () => {
  it('counts a check that cannot be made as one thing wrong', async () => {
    const parts = {
      log: makeLog({ process: 'test', level: 'silent' }),
      db: {} as Database,
      outcomes: { faults: async () => ['escrow 1: not handled here'] },
    }
    const contracts = () => Promise.reject(new Refusal('CHAIN_UNAVAILABLE'))

    const { checks } = await doctorHandlers(parts, { ledger: async () => [], contracts }).doctorReport()

    assert.deepEqual(checks, [
      { name: 'ledger', count: 0, detail: [] },
      { name: 'contracts', count: 1, detail: ['cannot be checked now: The network is not available'] },
      { name: 'outcomes', count: 1, detail: ['escrow 1: not handled here'] },
    ])
  })
})
