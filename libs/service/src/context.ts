import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AdminCaller, AgentCaller } from '@carapace/api'

/** What the gateway knows of a request and services may trust: signed, short-lived, stripped when it comes from outside. */
export interface RequestContext {
  requestId: string
  agent?: AgentCaller
  admin?: AdminCaller
  /** How far identity was proven. */
  mode: 'plain' | 'signed' | 'internal'
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

/** `<base64url json>.<base64url HMAC-SHA256>` */
export function signContext(context: RequestContext, key: string): string {
  const body = Buffer.from(JSON.stringify(context)).toString('base64url')
  return `${body}.${mac(body, key)}`
}

/** The context, or undefined when it is missing, forged or expired. */
export function verifyContext(header: string | undefined, key: string, nowMs = Date.now()): RequestContext | undefined {
  const dot = header?.indexOf('.') ?? -1
  if (header === undefined || dot < 1) return undefined
  const body = header.slice(0, dot)
  const given = Buffer.from(header.slice(dot + 1))
  const right = Buffer.from(mac(body, key))
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  const context = JSON.parse(Buffer.from(body, 'base64url').toString()) as RequestContext
  return context.expires > nowMs ? context : undefined
}

function mac(body: string, key: string): string {
  return createHmac('sha256', key).update(body).digest('base64url')
}
