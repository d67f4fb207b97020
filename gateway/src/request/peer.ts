import type { Request } from 'express'

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
