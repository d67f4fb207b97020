import assert from 'node:assert/strict'
import type { ServiceName } from '@carapace/api'
import { addressesOf, type Config, makePeers } from '@carapace/service'
import { until } from '@carapace/testing'
import { examine } from '../doctor/examine.ts'
import { services } from '../services.ts'

/** Holds a system of separate processes to the doctor's checks; what is under way may come to its end first. */
export async function assertWell({ platform: { url, config } }: { platform: { url: string; config: Config } }): Promise<void> {
  const address = addressesOf(config)
  const names = services.map(({ api }) => api.name as ServiceName)
  const patient = { baseUrl: url, services: names, address, peers: makePeers(address, config.INTERNAL_KEY!), adminKey: undefined, signer: undefined }
  const wrong = async () => (await examine(patient)).filter(({ count }) => count > 0)
  await until(
    'the doctor finds nothing',
    async () => {
      const found = await wrong()
      assert.deepEqual(found, [])
      return true
    },
    60,
  )
}
