import type { IncomingMessage } from 'node:http'
import { refuse, refuseField } from '@carapace/api'
import { collectBody, hasBody } from '@carapace/service'
import type { Request } from 'express'

export interface Target {
  path: string
  /** With its `?`, or empty. */
  query: string
}

const maxLength = 4_096

/**
 * Path and query of a request line, as sent: what was matched is what the service gets.
 * @throws VALIDATION_ERROR for a target that is too long or cannot be decoded
 */
export function splitTarget(url: string): Target {
  const origin = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  const clean = origin.split('#', 1)[0] || '/'
  if (clean.length > maxLength) refuseField('url', `must be at most ${maxLength} characters`)
  if (!clean.startsWith('/') && !clean.startsWith('?')) refuse('ROUTE_NOT_FOUND')
  const mark = clean.indexOf('?')
  const path = (mark < 0 ? clean : clean.slice(0, mark)) || '/'
  if (!isDecodable(path)) refuseField('url', 'its path cannot be decoded')
  return { path, query: mark < 0 ? '' : clean.slice(mark) }
}

/** Visible ASCII whose percent signs make up UTF-8. */
function isDecodable(path: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(path)) return false
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Where a request comes from. */
export interface Peer {
  /** Client address; an X-Forwarded-For counts only from TRUSTED_PROXIES. */
  ip: string
  /** Straight from this machine: loopback peer, no header of a proxy. */
  local: boolean
}

export function peerOf(request: Request, trustsProxies: boolean): Peer {
  const direct = plainAddress(request.socket.remoteAddress)
  const ip = trustsProxies ? plainAddress(request.ip) : direct
  return { ip, local: isLoopback(direct) && !proxyHeaders.some(name => request.headers[name] !== undefined) }
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address === 'localhost' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address)
}

/** The name in a Host header, without port and brackets, in lower case. */
export function hostName(host: string | undefined): string {
  return (host ?? '')
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip']

const plainAddress = (address: string | undefined): string => (address ?? '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')

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
  /** Most requests name the same one. */
  let accepted: string | undefined
  return host => {
    if (mode === 'signed' || host === undefined || host === accepted) return
    const name = hostName(host)
    if (!isLoopback(name) && !names.has(name))
      refuse('FORBIDDEN', { header: 'host' }, { message: 'This gateway is not known under that name; ALLOWED_HOSTS lists further ones' })
    accepted = host
  }
}

/** Two names for one request are one too many: which one counts would depend on who reads it. Only HTTP/1.0 knows none. @throws VALIDATION_ERROR */
export function checkAuthority({ rawHeaders, headers, httpVersion, url = '/' }: IncomingMessage): void {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts++
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) refuseField('host', 'there must be one Host header', { header: 'host' })
  if (url.startsWith('/')) return
  const inTarget = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  if (inTarget !== undefined && inTarget.toLowerCase() !== (headers.host ?? '').toLowerCase())
    refuseField('host', 'must name the same host as the address of the request', { header: 'host' })
}

const portOf = (authority: string): string => /:(\d+)$/.exec(authority)?.[1] ?? ''

/**
 * The raw bytes of a body, never parsed here. It is read whole before a service receives the request: a slow client holds no upstream connection,
 * and one that disconnects in the middle leaves no trace.
 * @throws PAYLOAD_TOO_LARGE for a body without a length that grows too big; ClientDisconnected
 */
export const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
  hasBody(request) ? collectBody(request, () => new ClientDisconnected()) : Promise.resolve(undefined)

/** The client broke the connection: there is nobody to answer. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client closed the connection')
    this.name = 'ClientDisconnected'
  }
}

/** Reads the body once, when it is first requested; reads have none. */
export function bodyReader(request: IncomingMessage): () => Promise<Buffer | undefined> {
  let read: Promise<Buffer | undefined> | undefined
  return () => {
    read ??= request.method === 'GET' || request.method === 'HEAD' ? Promise.resolve(undefined) : readBody(request)
    return read
  }
}
