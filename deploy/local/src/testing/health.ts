import assert from 'node:assert/strict'
import { type DoctorCheck, doctorReport, type ServiceName } from '@carapace/api'
import { addressesOf, type Config, makePeers } from '@carapace/service'
import { type ChainPlatform, until } from '@carapace/testing'
import { examine, type Finding, type Patient } from '../doctor/examine.ts'
import { services } from '../services.ts'

type Running = { platform: { url: string; config: Config } }

/** A system of separate processes, as the doctor sees it. */
function patientOf({ platform: { url, config } }: Running): Patient {
  const address = addressesOf(config)
  const names = services.map(({ api }) => api.name as ServiceName)
  return { baseUrl: url, services: names, address, peers: makePeers(address, config.INTERNAL_KEY!), adminKey: undefined, signer: undefined }
}

const wrongIn = async (patient: Patient): Promise<Finding[]> => (await examine(patient)).filter(({ count }) => count > 0)

/** What the doctor finds wrong in a system of separate processes. */
export const faultsOf = (running: Running): Promise<Finding[]> => wrongIn(patientOf(running))

/** Waits until the doctor finds nothing in all services of one process. @throws Error with what it found last */
export async function untilHealthy(platform: ChainPlatform, seconds: number): Promise<void> {
  const patient: Patient = {
    baseUrl: platform.url,
    services: services.map(({ api }) => api.name as ServiceName),
    address: name => platform.service(name).url,
    peers: platform.service('treasury').platform.peers,
    adminKey: undefined,
    signer: undefined,
  }
  await until(
    'the doctor finds nothing',
    async () => {
      assert.deepEqual(await wrongIn(patient), [])
      return true
    },
    seconds,
  )
}

/** Waits until the checks of a service find nothing. @returns what it checked */
export async function untilFaultless({ service }: Pick<ChainPlatform, 'service'>, name: ServiceName): Promise<readonly DoctorCheck[]> {
  return until(`${name} finds no fault`, async () => {
    const { checks } = await service(name).platform.peers.call(name, doctorReport, { timeoutMs: 10_000 })
    assert.deepEqual(
      checks.filter(({ count }) => count > 0),
      [],
    )
    return checks
  })
}
