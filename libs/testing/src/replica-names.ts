import dns from 'node:dns'

/** So many addresses of this machine, one for each replica. */
export const loopbackHosts = (count: number): string[] => Array.from({ length: count }, (_, at) => `127.0.0.${at + 1}`)

/**
 * Imported, or preloaded by a process, it lets one machine stand in for a cluster: names below `replicas.test` have several loopback addresses (REPLICAS
 * says how many, default 2), given in changing order, as DNS does for a service that runs in several replicas.
 */
export const replicaHosts: readonly string[] = loopbackHosts(Number(process.env.REPLICAS ?? 2))

const { lookup } = dns
let lookups = 0

function lookupReplicas(name: string, options: dns.LookupOptions, done: (error: null, found: unknown, family?: number) => void): void {
  if (!name.endsWith('.replicas.test')) {
    lookup(name, options, done as never)
    return
  }
  const first = lookups++ % replicaHosts.length
  const addresses = [...replicaHosts.slice(first), ...replicaHosts.slice(0, first)]
  process.nextTick(() =>
    options.all
      ? done(
          null,
          addresses.map(address => ({ address, family: 4 })),
        )
      : done(null, addresses[0], 4),
  )
}

dns.lookup = lookupReplicas as unknown as typeof dns.lookup
