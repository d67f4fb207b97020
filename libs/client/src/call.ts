import { randomHex } from './random.ts'
import { noAnswer, refusalOf } from './refusal.ts'
import { type RetryOptions, retrying } from './retry.ts'

/** One row of the table of operations. */
export interface Row {
  readonly method: string
  readonly path: string
  /** How the answer is read, when it is not JSON. */
  readonly reads?: 'bytes' | 'text' | 'stream'
  /** The field with the entries of a page; empty: the answer is the list. */
  readonly items?: string
  /** Pages are counted; else entries are. */
  readonly by?: 'page'
}

type Headers = Readonly<Record<string, string | undefined>>

export interface CallOptions {
  headers?: Headers
  signal?: AbortSignal
  /** The Idempotency-Key of a write that your program may repeat; without one each call is a write of its own, however often it is sent. */
  idempotencyKey?: string
}

export interface LooseArgs extends CallOptions {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

/** How calls reach the platform. */
export interface Transport {
  /** Without a slash at the end. */
  baseUrl: string
  send: typeof fetch
  /** Of every call. */
  headers: () => Headers
  /** Of one attempt; streams have none. */
  timeoutMs: number
  retry: RetryOptions | undefined
}

/**
 * The name of a write travels next to the request, not in it, until the request goes out: a payment belongs to equal requests, and these
 * shall stay equal when a program repeats a call that had no answer.
 */
export interface NamedInit extends RequestInit {
  idempotencyKey?: string | undefined
}

/** The last step of a request: its name becomes a header. */
export function namingFetch(send: typeof fetch): typeof fetch {
  return (input, init: NamedInit = {}) => {
    const { idempotencyKey, ...plain } = init
    const headers = new Headers(plain.headers)
    if (idempotencyKey !== undefined && !headers.has('idempotency-key')) headers.set('idempotency-key', idempotencyKey)
    return send(input, { ...plain, headers })
  }
}

/** One call, repeated while that may help. @throws Refusal for every error; what the signal says when the caller aborts */
export async function call(row: Row, args: LooseArgs, { baseUrl, send, headers, timeoutMs, retry }: Transport): Promise<unknown> {
  const url = `${baseUrl}${pathOf(row.path, args.params)}${queryText(args.query)}`
  const body = args.body === undefined ? undefined : JSON.stringify(args.body)
  const { idempotencyKey } = args
  const ownName = row.method === 'GET' || idempotencyKey !== undefined ? undefined : randomHex(16)
  return retrying(retry, args.signal, async () => {
    const named = { 'idempotency-key': idempotencyKey, 'content-type': body === undefined ? undefined : 'application/json' }
    const all = Object.entries({ ...headers(), ...named, ...args.headers })
    // Node collects an AbortSignal.timeout that only AbortSignal.any refers to: it would never fire
    const late = new AbortController()
    const end = () => late.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'))
    const timer = row.reads === 'stream' ? undefined : setTimeout(end, timeoutMs)
    const init: NamedInit = {
      method: row.method,
      headers: all.filter((entry): entry is [string, string] => entry[1] !== undefined),
      ...(body === undefined ? {} : { body }),
      idempotencyKey: ownName,
      signal: AbortSignal.any([late.signal, ...(args.signal ? [args.signal] : [])]),
    }
    try {
      const response = await send(url, init)
      if (!response.ok) throw await refusalOf(response)
      return await readingOf(response, row.reads)
    } catch (error) {
      args.signal?.throwIfAborted()
      throw isLost(error) ? noAnswer(baseUrl, error) : error
    } finally {
      clearTimeout(timer)
    }
  })
}

/** Whether no answer came, or not all of it; other errors are those of a signer. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && (['TimeoutError', 'AbortError'].includes(error.name) || error instanceof TypeError || error instanceof SyntaxError)

async function readingOf(response: Response, reads: Row['reads']): Promise<unknown> {
  if (reads === 'bytes') return new Uint8Array(await response.arrayBuffer())
  if (reads === 'stream') return response.body
  return reads === 'text' ? response.text() : response.json()
}

function pathOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`${path} needs the parameter ${name}`)
    // as a part of an address these lead to another one, however they are written
    if (value === '.' || value === '..') throw new TypeError(`${path}: ${name} cannot be ${value}`)
    return encodeURIComponent(value)
  })
}

function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}
