import type { IncomingMessage } from 'node:http'
import { refuse } from '@carapace/api'
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

/**
 * In plain mode a page whose name was pointed at this machine must not read what only this machine may (DNS rebinding): a browser sends that name as
 * Host. In signed mode a signature names the host that it was made for.
 * @param allowed further names under which this gateway is reached
 */
export function hostCheck(mode: 'plain' | 'signed', publicBaseUrl: string, allowed: readonly string[]): (host: string | undefined) => void {
  const names = new Set([hostName(new URL(publicBaseUrl).host), ...allowed.map(hostName)])
  return host => {
    if (mode === 'signed' || host === undefined) return
    const name = hostName(host)
    if (!isLoopback(name) && !names.has(name))
      refuse('FORBIDDEN', { header: 'host' }, { message: 'This gateway is not known under that name; ALLOWED_HOSTS lists further ones' })
  }
}

/** Two names for one request are one too many: which one counts would depend on who reads it. Only HTTP/1.0 knows none. @throws VALIDATION_ERROR */
export function checkAuthority({ rawHeaders, headers, httpVersion, url = '/' }: IncomingMessage): void {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts++
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0'))
    refuse('VALIDATION_ERROR', { header: 'host' }, { message: 'There must be one Host header' })
  if (url.startsWith('/')) return
  const inTarget = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  if (inTarget !== undefined && inTarget.toLowerCase() !== (headers.host ?? '').toLowerCase())
    refuse('VALIDATION_ERROR', { header: 'host' }, { message: 'The address of the request and its Host header must name the same host' })
}

const portOf = (authority: string): string => /:(\d+)$/.exec(authority)?.[1] ?? ''
