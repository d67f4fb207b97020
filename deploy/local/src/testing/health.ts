import assert from 'node:assert/strict'
import type { ServiceName } from '@carapace/api'
import { addressesOf, type Config, makePeers } from '@carapace/service'
import { until } from '@carapace/testing'
import { examine, type Finding } from '../doctor/examine.ts'
import { services } from '../services.ts'

type Running = { platform: { url: string; config: Config } }

/** What the doctor finds wrong in a system of separate processes. */
export async function illnesses({ platform: { url, config } }: Running): Promise<Finding[]> {
  const address = addressesOf(config)
  const names = services.map(({ api }) => api.name as ServiceName)
  const patient = { baseUrl: url, services: names, address, peers: makePeers(address, config.INTERNAL_KEY!), adminKey: undefined, signer: undefined }
  return (await examine(patient)).filter(({ count }) => count > 0)
}

/** Holds a system of separate processes to the doctor's checks; what is under way may come to its end first. */
export async function assertWell(running: Running): Promise<void> {
  await until(
    'the doctor finds nothing',
    async () => {
      assert.deepEqual(await illnesses(running), [])
      return true
    },
    60,
  )
}
