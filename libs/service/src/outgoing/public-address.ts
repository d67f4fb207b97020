import { BlockList, isIP } from 'node:net'

/** Private, loopback, link-local, multicast, reserved and metadata ranges (behaviour 1.11). IPv4 in IPv6 counts as the IPv4 that it is. */
const refused = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // metadata of a cloud, under a public number
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  refused.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refused.addSubnet(net, prefix, 'ipv6')

/** What is assigned of IPv6, and IPv4 in it: other ranges are private, translate into IPv4, or belong to nobody. */
const assigned = new BlockList()
assigned.addSubnet('2000::', 3, 'ipv6')
assigned.addSubnet('::ffff:0:0', 96, 'ipv6')

/** Whether requests may go there. @example isPublicAddress('::ffff:10.0.0.1') // false */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  return family === 6 && assigned.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
