import { hash, timingSafeEqual } from 'node:crypto'
import type { AdminCaller, AgentCaller } from '@carapace/api'

/** What the gateway knows of a request and services may trust: signed, short-lived, stripped when it comes from outside. */
export interface RequestContext {
  requestId: string
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
  traceparent?: string
  /** The x402 payment that covers this request, settled by the gateway. */
  payment?: { payer: string; chain: string; txHash: string; amount: string; nonce: string }
  /** Unix milliseconds, wall clock. */
  expires: number
}

export const contextHeader = 'x-carapace-context'

const blockBytes = 64
const digestBytes = 32

/** `<base64url json>.<base64url HMAC-SHA256>` */
export function signContext(context: RequestContext, key: string): string {
  const body = Buffer.from(JSON.stringify(context)).toString('base64url')
  return `${body}.${mac(body, key).toString('base64url')}`
}

/** The context, or undefined when it is missing, forged or expired. */
export function verifyContext(header: string | undefined, key: string, nowMs = Date.now()): RequestContext | undefined {
  const dot = header?.indexOf('.') ?? -1
  if (header === undefined || dot < 1) return undefined
  const body = header.slice(0, dot)
  const given = Buffer.from(header.slice(dot + 1), 'base64url')
  if (given.length !== digestBytes || !timingSafeEqual(given, mac(body, key))) return undefined
  const context = parsed(body)
  return context && context.expires > nowMs ? context : undefined
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

/** The two blocks that RFC 2104 puts before text and inner hash; behind the outer one there is room for the inner hash. */
interface Pads {
  inner: Buffer
  outer: Buffer
}
const padsOf = new Map<string, Pads>()

/** HMAC-SHA256 (RFC 2104) from two one-shot hashes: an Hmac object for each request costs several times as much, most of it in its collection. */
function mac(body: string, key: string): Buffer {
  let pads = padsOf.get(key)
  if (!pads) {
    pads = pad(key)
    padsOf.set(key, pads)
  }
  const text = Buffer.allocUnsafe(blockBytes + Buffer.byteLength(body))
  pads.inner.copy(text)
  text.write(body, blockBytes)
  hash('sha256', text, 'buffer').copy(pads.outer, blockBytes)
  return hash('sha256', pads.outer, 'buffer')
}

function pad(key: string): Pads {
  const bytes = Buffer.from(key)
  const block = Buffer.alloc(blockBytes)
  const short = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes
  short.copy(block)
  const outer = Buffer.alloc(blockBytes + digestBytes)
  outer.set(block.map(byte => byte ^ 0x5c))
  return { inner: block.map(byte => byte ^ 0x36) as Buffer, outer }
}
