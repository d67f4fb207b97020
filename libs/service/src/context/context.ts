import { hash, timingSafeEqual } from 'node:crypto'
import type { AdminCaller, AgentCaller } from '@carapace/api'
import type { Config } from '../config/config.ts'
import { currentTrace, traceparentOf } from '../telemetry/trace.ts'

/** The HMAC-SHA256 of a text (as UTF-8) or of bytes: 32 bytes. */
export type Mac = (text: string | Buffer) => Buffer

const blockBytes = 64
const digestBytes = 32

/**
 * HMAC-SHA256 (RFC 2104) under one key, of two one-shot hashes: an Hmac object for each text costs several times as much, most of it in its collection.
 * @example const mac = macOf(key); timingSafeEqual(given, mac(text))
 */
export function macOf(key: string | Buffer): Mac {
  const { inner, outer } = pads(Buffer.from(key))
  // one `outer` for all texts: nothing comes between its writing and its reading
  return text => {
    const bytes = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(text))
    inner.copy(bytes)
    if (typeof text === 'string') bytes.write(text, blockBytes)
    else text.copy(bytes, blockBytes)
    hash('sha256', bytes, 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}

/** The two blocks that go before text and inner hash; after the outer one there is room for the inner hash. */
function pads(key: Buffer): { inner: Buffer; outer: Buffer } {
  const block = Buffer.alloc(blockBytes)
  const short = key.length > blockBytes ? hash('sha256', key, 'buffer') : key
  short.copy(block)
  const outer = Buffer.alloc(blockBytes + digestBytes)
  outer.set(block.map(byte => byte ^ 0x5c))
  return { inner: block.map(byte => byte ^ 0x36) as Buffer, outer }
}

/** What the gateway knows of a request and services may trust: signed, short-lived, stripped when it comes from outside. */
export interface RequestContext {
  agent?: AgentCaller
  admin?: AdminCaller
  /** How far identity was proven. */
  mode: 'plain' | 'signed' | 'internal'
  /** Plain mode that strangers can reach: what spends money needs a signature all the same. */
  exposed?: boolean
  /** Wallet whose request signature was checked, EIP-55 form; not on every route is it the caller's (registration). */
  signedBy?: string
  /** Client address, for limits per address. */
  ip?: string
  idempotencyKey?: string
  /** The x402 payment that covers this request, settled by the gateway. */
  payment?: { id: string; payer: string; chain: string; txHash: string; amount: string; nonce: string }
  /** Unix milliseconds, wall clock. */
  expires: number
}

export const contextHeader = 'x-carapace-context'
/** Travels next to the context, unsigned: it names a request in logs and answers and gives no right to anything. */
export const requestIdHeader = 'x-request-id'

const lifetimeMs = 30_000
const stepMs = 5_000
const remembered = 1_000

/** When a context that is made now expires: in 30 to 35 s. It moves in steps, so that a caller's next request carries the same header. */
export const expiry = (nowMs = Date.now()): number => Math.ceil(nowMs / stepMs) * stepMs + lifetimeMs

/** `<base64url json>.<base64url HMAC-SHA256>` */
export function signContext(context: RequestContext, key: string): string {
  const json = JSON.stringify(context)
  const { mac, signed } = signerOf(key)
  const cached = signed.get(json)
  if (cached !== undefined) return cached
  const body = Buffer.from(json).toString('base64url')
  const header = `${body}.${mac(body).toString('base64url')}`
  remember(signed, json, header)
  return header
}

/** The keys under which calls of our processes are accepted: that which signs first, and the other one while keys are exchanged. */
export const keysAccepted = (internalKey: string, { INTERNAL_KEY_ACCEPTED: other }: Pick<Config, 'INTERNAL_KEY_ACCEPTED'>): readonly string[] =>
  other === undefined ? [internalKey] : [internalKey, other]

/**
 * The context, or undefined when it is missing, forged under each of the keys, or expired. It may be that of an earlier request with the same header, and is
 * not to be changed.
 */
export function verifyContext(header: string | undefined, keys: readonly string[], nowMs = Date.now()): Readonly<RequestContext> | undefined {
  if (header === undefined) return undefined
  for (const key of keys) {
    const context = verified(header, key, nowMs)
    if (context) return context
  }
  return undefined
}

function verified(header: string, key: string, nowMs: number): Readonly<RequestContext> | undefined {
  const { mac, verified } = signerOf(key)
  const cached = verified.get(header)
  const context = cached ?? authentic(header, mac)
  if (!context || context.expires <= nowMs) return undefined
  if (!cached) remember(verified, header, context)
  return context
}

function authentic(header: string, mac: Mac): RequestContext | undefined {
  const dot = header.indexOf('.')
  if (dot < 1) return undefined
  const body = header.slice(0, dot)
  const given = Buffer.from(header.slice(dot + 1), 'base64url')
  const right = mac(body)
  return given.length === right.length && timingSafeEqual(given, right) ? parsed(body) : undefined
}

/** All are forgotten when there are too many: those that still come are back with their next request. */
function remember<Value>(cache: Map<string, Value>, name: string, value: Value): void {
  if (cache.size >= remembered) cache.clear()
  cache.set(name, value)
}

/** undefined for what was signed with the right key and is no context all the same. */
function parsed(body: string): RequestContext | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
    return typeof value === 'object' && value !== null && 'expires' in value && typeof value.expires === 'number'
      ? (value as RequestContext)
      : undefined
  } catch {
    return undefined
  }
}

/** What is cached for each key. */
interface Signer {
  mac: Mac
  /** Headers by the JSON of their context, and contexts by their header, of late. */
  signed: Map<string, string>
  verified: Map<string, RequestContext>
}
const signers = new Map<string, Signer>()

function signerOf(key: string): Signer {
  let signer = signers.get(key)
  if (!signer) {
    signer = { mac: macOf(key), signed: new Map(), verified: new Map() }
    signers.set(key, signer)
  }
  return signer
}

/** Headers of a call from one of our processes to another: the signed context, and the trace in hand, which also names the request. */
export function callHeaders(context: RequestContext, internalKey: string): Record<string, string> {
  const headers: Record<string, string> = { [contextHeader]: signContext(context, internalKey) }
  const trace = currentTrace()
  const traceparent = traceparentOf(trace)
  if (trace && traceparent) Object.assign(headers, { traceparent, [requestIdHeader]: trace.traceId })
  return headers
}
