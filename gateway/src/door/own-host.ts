import { hostName, isLoopback } from './peer.ts'

/** Whether a Host header (or the host of an origin) means this gateway: its public name, or this machine if it is known by no other. */
export function ownHost(publicBaseUrl: string): (host: string | undefined) => boolean {
  const own = new URL(publicBaseUrl)
  const local = isLoopback(hostName(own.host))
  return host => {
    const authority = host === undefined ? undefined : authorityOf(host, own.protocol)
    if (authority === undefined) return false
    return authority === own.host || (local && isLoopback(hostName(authority)) && portOf(authority) === portOf(own.host))
  }
}

/** A Host header as RFC 9421 wants `@authority`: lower case, without the scheme's own port. Undefined when it is none. */
export function authorityOf(host: string, protocol: string): string | undefined {
  const text = `${protocol}//${host}`
  if (/[/?#@\s]/.test(host) || !URL.canParse(text)) return undefined
  return new URL(text).host
}

const portOf = (authority: string): string => /:(\d+)$/.exec(authority)?.[1] ?? ''
