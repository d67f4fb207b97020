import { randomUUID } from 'node:crypto'
import { httpCall, until } from '@carapace/testing'
import type { Harness } from './harness.ts'
import { json } from './upstream.ts'

type Headers = Record<string, string>

/** Some address of an IPv6 site, for a gateway that trusts proxies. */
export const from = (site: number, host = 1) => ({ 'x-forwarded-for': `2001:db8:0:${site}${host.toString(16).padStart(2, '0')}::1` })
/** What a client of A2A does, against a harness or another gateway like it. */
export function a2aClient(harness: Pick<Harness, 'upstream' | 'url'>) {
  const gig = { id: randomUUID(), status: 'open', escrowStatus: 'locked', validationId: null, updatedAt: '2026-01-01T00:00:00.000Z' }
  harness.upstream.gigs.set(gig.id, gig)
  harness.upstream.answer = (_seen, response) => json(response, 200, gig)
  const headersOf = (headers: Headers) => ({ 'a2a-version': '1.0', 'content-type': 'application/json', ...headers })
  const rpc = async (method: string, params: object, headers: Headers = {}) =>
    (await httpCall(harness.url, 'POST', '/a2a', { body: { jsonrpc: '2.0', id: 1, method, params }, headers: headersOf(headers) })).body
  const status = {
    message: { messageId: '', role: 'ROLE_USER', parts: [{ text: `gig_status ${gig.id}` }] },
    configuration: { returnImmediately: true },
  }
  /** Has a gig followed; resolves to its task once that says where the gig is, or why it is not followed. */
  const follow = async (
    headers: Headers,
  ): Promise<{ id: string; status: { state: string; message: { parts: { text?: string; data?: { code: string } }[] } } }> => {
    const sent = await rpc('SendMessage', { ...status, message: { ...status.message, messageId: randomUUID() } }, headers)
    return until('the gig is read', async () => {
      const { result } = await rpc('GetTask', { id: sent.result.task.id }, headers)
      return result.status.message && result
    })
  }
  /** Opens the stream of a task; it is open once something came down it. */
  const subscribe = async (id: string, headers: Headers, signal?: AbortSignal) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } })
    const response = await fetch(`${harness.url}/a2a`, { method: 'POST', headers: headersOf(headers), body, ...(signal ? { signal } : {}) })
    const reader = response.body!.getReader()
    if (response.ok) await reader.read()
    return { status: response.status, retryAfter: response.headers.get('retry-after'), reader }
  }
  return { rpc, follow, subscribe }
}
