import { apis, type Chain, chainRelayerApi, chains, type DoctorCheck, doctorReport, type ResponseOf, type ServiceName } from '@carapace/api'
import { type Carapace, connect, isRefusal } from '@carapace/client'
import type { Peers } from '@carapace/service'
import type { Signer } from '../signer.ts'
import { clearingFaults, hasClearing } from './clearing.ts'

/** What the doctor needs to examine a running system. */
export interface Patient {
  /** The gateway. */
  baseUrl: string
  /** The services that should run. */
  services: readonly ServiceName[]
  address: (name: ServiceName) => string
  peers: Peers
  /** x-admin-key of plain mode. */
  adminKey: string | undefined
  /** Signs as an admin, where the gateway requires that. */
  signer: Signer | undefined
}

export interface Finding extends Pick<DoctorCheck, 'name' | 'count' | 'detail'> {
  /** Service or network. */
  where: string
}

/** An event that waits so long for its broker is no hiccup. */
const lagLimitSeconds = 30
const creditedWithinMs = 10 * 60_000
/** Faults of one check that are described. */
const shown = 20

/** Everything there is to check, each with the count of what is wrong; 0 everywhere when the system is healthy. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const findings = await Promise.all([
    ...patient.services.filter(hasBooks).map(name => books(patient, name)),
    ...patient.services.map(name => outbox(patient, name)),
    ...chains.map(chain => lane(patient, chain)),
    deadLetters(patient),
    clearing(patient),
  ])
  return findings.flat()
}

const hasBooks = (name: ServiceName): boolean => Object.hasOwn(apis[name].internal ?? {}, 'doctorReport')

/** A check that cannot be made counts as one thing wrong. */
const unless = async (where: string, name: string, check: () => Promise<Finding[]>): Promise<Finding[]> =>
  check().catch((error: unknown) => [{ where, name, count: 1, detail: [error instanceof Error ? error.message : String(error)] }])

/** The service's own checks: ledger against records and contracts, invariants, stuck sagas. */
const books = ({ peers }: Patient, name: ServiceName) =>
  unless(name, 'books', async () => {
    const { checks } = await peers.call(name, doctorReport, { timeoutMs: 30_000 })
    return checks.map(check => ({ where: name, ...check }))
  })

const clearing = ({ peers, services }: Patient) =>
  unless('ledgers', 'clearing', async () => {
    const faults = await clearingFaults(peers, services.filter(hasClearing), creditedWithinMs)
    return [{ where: 'ledgers', name: 'clearing', count: faults.length, detail: faults.slice(0, shown) }]
  })

const outbox = ({ address }: Patient, where: ServiceName) =>
  unless(where, 'outbox_lag', async () => {
    const response = await fetch(`${address(where)}/metrics`, { signal: AbortSignal.timeout(10_000) })
    const lag = Number(/^outbox_lag_seconds\S* (\S+)$/m.exec(await response.text())?.[1] ?? Number.NaN)
    const isHealthy = lag <= lagLimitSeconds
    return [{ where, name: 'outbox_lag', count: isHealthy ? 0 : 1, detail: isHealthy ? [] : [`the oldest unsent event waits for ${lag} s`] }]
  })

const lane = ({ peers }: Patient, chain: Chain) =>
  unless(chain, 'lane', async () => {
    const status = await peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain }, timeoutMs: 10_000 })
    const { nonceGap, queued, inflight } = status.lane
    return [
      { where: chain, name: 'nonce_gaps', count: nonceGap, detail: nonceGap ? [`${nonceGap} nonces below the next one are held by nothing`] : [] },
      {
        where: chain,
        name: 'lane_leads',
        count: status.led ? 0 : 1,
        detail: status.led ? [] : [`nobody sends: ${queued} queued, ${inflight} sent`],
      },
      ...(status.retiring ? [{ where: chain, name: 'retiring_key', count: 0, detail: [retirementNote(status.retiring)] }] : []),
    ]
  })

type Retirement = NonNullable<ResponseOf<typeof chainRelayerApi.internal.chainStatus>['retiring']>

/** Nothing is wrong with a former key that has not finished: the operator waits for it. */
const retirementNote = ({ address, commands, transactions, usdc, drained }: Retirement): string =>
  drained
    ? `${address} is drained: its roles may be revoked and its key removed`
    : `${address} has ${commands} commands, ${transactions} transactions and ${usdc} micro-USDC left: its key is still needed`

const deadLetters = ({ baseUrl, adminKey, signer }: Patient) =>
  unless('gateway', 'dead_letters', async () => {
    const { oracleWallet } = await connect({ baseUrl }).gateway.listNetworks()
    const identity = { ...(oracleWallet ? { adminWallet: oracleWallet } : {}), ...(adminKey ? { adminKey } : {}) }
    const read = ({ gateway }: Carapace) => gateway.listDeadLetters({ query: { limit: 1000 } })
    const { deadLetters: found, total } = await read(connect({ baseUrl, identity })).catch((error: unknown) => {
      if (!isRefusal(error, 'SIGNATURE_REQUIRED')) throw error
      if (!signer) throw new Error('admin calls are signed here: DOCTOR_KEY has to be the private key of an admin wallet')
      return read(connect({ baseUrl, identity: { adminWallet: signer.wallet }, fetch: signer.fetch }))
    })
    return [
      {
        where: 'gateway',
        name: 'dead_letters',
        count: total,
        detail: found.slice(0, 20).map(({ id, queue, reason }) => `${queue} ${id}: ${reason}`),
      },
    ]
  })
