import { signatureOf } from '../sign/signature.ts'
import type { Wallet } from '../sign/wallet.ts'

/** In whose name a call is made. */
export interface Caller {
  agentId?: string
  wallet: Wallet
}

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  caller?: Caller
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints
export type Body = any

/** A call was refused; the message is the one of the interface. */
export class Refused extends Error {
  readonly status: number
  readonly retryable: boolean

  constructor(status: number, body: Body) {
    super(body?.message ?? `Refused with status ${status}`)
    this.status = status
    this.retryable = body?.retryable === true
  }
}

/** Makes a call, signed where this gateway wants that. @throws Refused */
export async function send({ method, path, body, caller }: Call, isSigned: boolean): Promise<Body> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers: Record<string, string> = {
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...(caller ? identity(caller) : {}),
    ...(caller && isSigned ? await signatureOf(method, path, text, caller.wallet) : {}),
  }
  // a browser would answer a read with what it has for a second: a step that is tried again needs what is there now
  const response = await fetch(path, { method, headers, cache: 'no-store', ...(text === undefined ? {} : { body: text }) })
  const answer: Body = await response.json()
  if (!response.ok) throw new Refused(response.status, answer)
  return answer
}

const identity = ({ agentId, wallet }: Caller): Record<string, string> => ({
  ...(agentId === undefined ? {} : { 'x-agent-id': agentId }),
  'x-wallet-address': wallet.address,
})

/** The same call as lines for a terminal. A signature counts once, so that of this page is not among them. */
export function curlOf({ method, path, body, caller }: Call, isSigned: boolean): string {
  const head = `curl -s${method === 'POST' && body === undefined ? ' -X POST' : ''} ${location.origin}${path}`
  const lines = [
    head,
    ...(body === undefined ? [] : ["-H 'content-type: application/json'"]),
    ...(caller ? Object.entries(identity(caller)).map(([name, value]) => `-H '${name}: ${value}'`) : []),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ]
  const note = caller && isSigned ? '\n# with the signature headers of its wallet: /docs#signing' : ''
  return lines.join(' \\\n  ') + note
}
