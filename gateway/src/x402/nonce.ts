import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { paymentWindowSeconds } from '@carapace/chain'

/** What a challenge is for: its nonce proves nothing else. */
export interface Challenged {
  /** Method and path template. */
  route: string
  /** µ */
  price: bigint
  payTo: string
  agentId: string | null
  /** What the intake is paid for; undefined: a sold read. */
  subject?: string | undefined
}

export interface Nonces {
  /** 32 bytes, hex. Nothing is stored: the nonce itself carries its time, and a code over what it is for. */
  issue(challenged: Challenged, nowMs: number): string
  /** When a nonce of ours for exactly this was issued, Unix milliseconds; undefined for any other. */
  issuedAt(nonce: string, challenged: Challenged): number | undefined
}

const timeBytes = 6
const headBytes = 16

/** Unix milliseconds until which a transfer for a challenge has to be mined. */
export const deadlineOf = (issuedAt: number): number => issuedAt + paymentWindowSeconds * 1_000

/** @param keys secrets of this platform, the same in every gateway process: the first makes nonces, each proves them */
export function openNonces(keys: readonly string[]): Nonces {
  const codeKeys = keys.map(key => createHmac('sha256', key).update('x402 challenge').digest())
  const codeOf = (codeKey: Buffer, head: Buffer, { route, price, payTo, agentId, subject }: Challenged) =>
    createHmac('sha256', codeKey)
      .update(head)
      .update(JSON.stringify([route, String(price), payTo.toLowerCase(), agentId, ...(subject === undefined ? [] : [subject])]))
      .digest()
      .subarray(0, headBytes)
  return {
    issue: (challenged, nowMs) => {
      const head = randomBytes(headBytes)
      head.writeUIntBE(nowMs, 0, timeBytes)
      return `0x${Buffer.concat([head, codeOf(codeKeys[0]!, head, challenged)]).toString('hex')}`
    },
    issuedAt: (nonce, challenged) => {
      const bytes = Buffer.from(nonce.slice(2), 'hex')
      const head = bytes.subarray(0, headBytes)
      if (bytes.length !== 2 * headBytes) return undefined
      const isOurs = codeKeys.some(codeKey => timingSafeEqual(bytes.subarray(headBytes), codeOf(codeKey, head, challenged)))
      return isOurs ? head.readUIntBE(0, timeBytes) : undefined
    },
  }
}
