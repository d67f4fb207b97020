import { isIP } from 'node:net'

/**
 * The key under which a client address is limited: addresses of one IPv6 site (/56) are one client, and an IPv4 address in an IPv6 one is that.
 * @example addressKey('2001:db8:0:12ff::1') // '2001:db8:0:1200::/56'
 */
export function addressKey(ip: string): string {
  if (isIP(ip) !== 6) return ip
  // as an address of the web it has one form, without zone and dots
  const { hostname } = new URL(`http://[${ip.replace(/%.*$/, '')}]/`)
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map(half => (half === '' ? [] : half.split(':').map(group => Number.parseInt(group, 16))))
  const groups = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.')
  const site = [...groups.slice(0, 3), groups[3]! & 0xff00]
  return `${site.map(group => group.toString(16)).join(':')}::/56`
}
