import { lookup, Resolver } from 'node:dns/promises'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import type { Platform } from '../define.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

export interface OutgoingRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

export interface OutgoingOptions {
  /** Also to this machine, and over http: devnets and tests. */
  allowsLoopback?: boolean
  /** Every address of a name. Default: what name servers answer; where loopback is allowed what this machine knows, its hosts file too. */
  resolve?: (host: string) => Promise<Address[]>
}

type Address = { address: string; family: number }

/** A request that was not sent: where it would go is none of the public Internet, as far as anybody knows. */
export class OutgoingRefused extends Error {}

const timeoutMs = 5_000
const maxBytes = 65_536

/**
 * A request to an address that a user gave, or that a name of the Internet has (behaviour 1.11): the name is resolved once and the connection goes to
 * what that gave, redirects are answers, 5 s and 64 kB at most.
 * @throws OutgoingRefused; Error without an answer
 */
export const sendOutgoing = (url: URL, request: OutgoingRequest, options: OutgoingOptions = {}): Promise<{ status: number; body: Buffer }> =>
  inTime(async signal => {
    const pinned = await addressOf(url, options)
    signal.throwIfAborted()
    return answerFrom(pinned, url, request, signal)
  })

const answerFrom = (pinned: Address, url: URL, { method, headers, body }: OutgoingRequest, signal: AbortSignal) =>
  new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request
    const outgoing = send(
      url,
      {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
        // a connection of an earlier request went to what the name was then
        agent: false,
        signal,
        lookup: (_name, { all }, done) => (all ? done(null, [pinned]) : done(null, pinned.address, pinned.family)),
      },
      response => {
        outgoing.off('close', closed)
        const parts: Buffer[] = []
        let size = 0
        response.on('data', (part: Buffer) => {
          size += part.length
          if (size > maxBytes) response.destroy(new Error(`the answer is longer than ${maxBytes} bytes`))
          else parts.push(part)
        })
        response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(parts) }))
        response.on('error', reject)
        response.on('close', () => reject(new Error('the answer broke off')))
      },
    )
    // an answer that changes the protocol (101) is neither a response nor an error
    const closed = () => reject(new Error('the connection was closed without an answer'))
    outgoing.on('close', closed)
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Fails after the limit, also where what is waited for reports nothing any more. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${timeoutMs} ms`))
      limit.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(limit.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws OutgoingRefused where a request to it would not be sent */
export const checkOutgoing = (url: URL, options: OutgoingOptions = {}): Promise<void> =>
  inTime(() => addressOf(url, options)).then(
    () => undefined,
    (error: unknown) => {
      throw error instanceof OutgoingRefused ? error : notPublic(url)
    },
  )

/** Whether requests may go to this machine: on devnets, where the operator says so. */
export const allowsLoopback = ({ config }: Pick<Platform, 'config'>): boolean => config.WEBHOOK_LOOPBACK && config.SANDBOX === true

/** Says the same of a private name and of an unknown one: else private ones could be tried out. */
const notPublic = ({ hostname }: URL) => new OutgoingRefused(`${hostname} is not public, or unknown`)

/** @throws OutgoingRefused where any address of the host is none that requests may go to */
async function addressOf(
  url: URL,
  { allowsLoopback = false, resolve = allowsLoopback ? ofMachine : ofNameServers }: OutgoingOptions,
): Promise<Address> {
  const isAllowed = (address: string) => isPublicAddress(address) || (allowsLoopback && isLoopbackAddress(address))
  if (url.protocol !== 'https:' && !(allowsLoopback && url.protocol === 'http:')) throw new OutgoingRefused('only https is allowed')
  const found = await resolve(url.hostname.replace(/^\[|\]$/g, '')).catch((): Address[] => [])
  const [first] = found
  if (!first || !found.every(({ address }) => isAllowed(address))) throw notPublic(url)
  const isOwn = isLoopbackAddress(first.address)
  if (url.protocol === 'http:' && !isOwn) throw new OutgoingRefused('only https is allowed')
  // the only one that the cluster's policies let out
  if (url.port !== '' && !isOwn) throw new OutgoingRefused('only port 443 is allowed')
  return first
}

const ofMachine = (host: string) => lookup(host, { all: true })

/**
 * By queries of its own: `lookup` lets names whose servers are slow occupy the few threads that files and hashes need too. Names that only this machine
 * knows are none of the public Internet.
 */
async function ofNameServers(host: string): Promise<Address[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer, i) => (answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family: i === 0 ? 4 : 6 })) : []))
}
