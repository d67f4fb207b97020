import { apis, type Chain, chains, clearingBalances, clearingPageSize, explainClearing, type ServiceName } from '@carapace/api'
import type { Peers } from '@carapace/service'

/** Books its two sides in one ledger, which the treasury's own check follows. */
const ownPayments = 'treasury.pay:'
const timeoutMs = 10_000

export const hasClearing = (name: ServiceName): boolean => Object.hasOwn(apis[name].internal ?? {}, 'clearingBalances')

/**
 * Movements between two services that only one of them has booked: the sum of their clearing accounts is not 0.
 * @param graceMs a credit waits for the finality of its block so long: what was booked since is left out
 * @returns those that no record in a passing state explains, as sentences
 */
export async function clearingFaults(peers: Peers, services: readonly ServiceName[], graceMs: number): Promise<string[]> {
  const faults = await Promise.all(chains.map(chain => faultsOn(peers, services, chain, graceMs)))
  return faults.flat()
}

async function faultsOn(peers: Peers, services: readonly ServiceName[], chain: Chain, graceMs: number): Promise<string[]> {
  const sums = await sumsOf(peers, services, chain)
  const open = [...sums].filter(([key, parts]) => total(parts) !== 0n && !key.startsWith(ownPayments))
  const faults: string[] = []
  for (let at = 0; at < open.length; at += clearingPageSize) {
    const some = new Map(open.slice(at, at + clearingPageSize))
    const explained = await explainedBy(peers, services, chain, [...some.keys()], graceMs)
    for (const [key, parts] of some) if (!explained.has(key)) faults.push(faultOf(chain, key, parts))
  }
  return faults
}

type Balances = Map<ServiceName, bigint>
const total = (parts: Balances): bigint => [...parts.values()].reduce((sum, balance) => sum + balance, 0n)

const faultOf = (chain: Chain, key: string, parts: Balances): string =>
  `${key} on ${chain} is off by ${total(parts)}: ${[...parts].map(([service, balance]) => `${service} booked ${balance}`).join(', ')}`

async function sumsOf(peers: Peers, services: readonly ServiceName[], chain: Chain): Promise<Map<string, Balances>> {
  const sums = new Map<string, Balances>()
  for (const service of services) {
    for (let [after, more] = ['', true]; more; ) {
      const page = await peers.call(service, clearingBalances, { query: { chain, after }, timeoutMs })
      for (const { key, balance } of page.accounts) sums.set(key, (sums.get(key) ?? new Map()).set(service, BigInt(balance)))
      more = page.more
      after = page.accounts.at(-1)?.key ?? ''
    }
  }
  return sums
}

/** Keys of which a service has a record in a passing state, or an entry of just now. */
async function explainedBy(peers: Peers, services: readonly ServiceName[], chain: Chain, keys: string[], graceMs: number): Promise<Set<string>> {
  const answers = await Promise.all(services.map(service => peers.call(service, explainClearing, { body: { chain, keys }, timeoutMs })))
  const accounted = answers.flatMap(answer => answer.keys)
  return new Set(accounted.filter(({ passing, ageMs }) => passing !== null || (ageMs !== null && ageMs < graceMs)).map(({ key }) => key))
}
