import assert from 'node:assert/strict'
import { type DoctorCheck, doctorReport, type ServiceName } from '@carapace/api'
import { addressesOf, type Config, makePeers } from '@carapace/service'
import { type ChainPlatform, until } from '@carapace/testing'
import { clearingFaults, hasClearing } from '../doctor/clearing.ts'
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

/** Services with a ledger. */
export const ledgers = services.map(({ api }) => api.name as ServiceName).filter(hasClearing)

/** Movements between services that only one of them has booked. @param graceMs how long one side may wait for the other; the doctor allows for finality */
export const clearingFaultsIn = ({ service }: Pick<ChainPlatform, 'service'>, graceMs = 0): Promise<string[]> =>
  clearingFaults(service('treasury').platform.peers, ledgers, graceMs)

/** Waits until all services with a ledger have booked both sides of every movement. @throws Error with those that have not */
export async function untilCleared(platform: Pick<ChainPlatform, 'service'>): Promise<void> {
  await until('both sides are booked', async () => {
    assert.deepEqual(await clearingFaultsIn(platform), [])
    return true
  })
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
