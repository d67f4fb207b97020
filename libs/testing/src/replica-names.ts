import dns from 'node:dns'

/**
 * Imported, or preloaded by a process, it lets one machine stand in for a cluster: names below `replicas.test` have two loopback addresses, given in
 * changing order, as DNS does for a service that runs in several replicas.
 */
export const replicaHosts: readonly string[] = ['127.0.0.1', '127.0.0.2']

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
