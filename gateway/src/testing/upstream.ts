import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AgentRow, TrustReceipt } from '@carapace/api'
import { contextHeader, isGreeting, type RequestContext, verifyContext } from '@carapace/service'
import { devnets } from './devnets.ts'

/** A request as a service got it. */
interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  context: RequestContext | undefined
  body: Buffer
}

export interface Upstream {
  url: string
  port: number
  seen: Seen[]
  agents: Map<string, AgentRow>
  /** Of the marketplace, to the gateway itself. */
  gigs: Map<string, object>
  /** By their own id and by their gig's. */
  receipts: Map<string, TrustReceipt>
  /** Of the relayer, by hash. */
  transactions: Map<string, object>
  /** How public routes are answered; by default with what was seen of the context. */
  answer: (seen: Seen, response: ServerResponse) => void
  /** The payments by x402 that treasury was to collect, and who bought what. */
  collected: { buyer: string; agentId: string | null; sent: { byAgent?: boolean } }[]
  /** What treasury was notified of the requests that payments by x402 have paid for; it accepts every payment. */
  closed: { served: boolean; answer?: { status: number; text: string } }[]
  /** So many of these break off before treasury has them. */
  closesLost: number
  /** Internal reads are answered with 503. */
  identityDown: boolean
  /** The relayer reaches no network. */
  chainsDown: boolean
  /** As the relayer knows them. */
  networks: typeof devnets
  /** A service adopts the new time: resolves when what became due has run. */
  moveClock: () => Promise<void>
  /** What the relayer says of signatures of contract wallets. */
  contractAccepts: boolean
  /** How often the relayer was requested to check one. */
  contractQuestions: number
  /** What services report of themselves, by path, and which paths were read. */
  reports: Map<string, object>
  reportsRead: string[]
  /** Internal reads of these paths wait before they are answered. */
  held: Map<string, Promise<void>>
  /** How often identity was requested for an agent. */
  agentQuestions: number
  close(): Promise<void>
}

/** A stand-in for every service that the gateway serves: answers identity's internal reads from a table, and records what comes through. */
export async function startUpstream(internalKey: string): Promise<Upstream> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isGreeting(request)) return void response.end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const seen: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      context: verifyContext(request.headers[contextHeader] as string | undefined, [internalKey]),
      body: Buffer.concat(chunks),
    }
    if (seen.context?.mode === 'internal' || seen.url.startsWith('/internal/')) {
      await upstream.held.get(seen.url)
      return answerInternal(upstream, seen, response)
    }
    upstream.seen.push(seen)
    upstream.answer(seen, response)
  }
  // a request that breaks off is no concern of the stand-in
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}`,
    port,
    seen: [],
    agents: new Map(),
    gigs: new Map(),
    receipts: new Map(),
    transactions: new Map(),
    answer: ({ context }, response) => json(response, 200, { context }),
    collected: [],
    closed: [],
    closesLost: 0,
    identityDown: false,
    chainsDown: false,
    networks: devnets,
    moveClock: async () => {},
    contractAccepts: false,
    contractQuestions: 0,
    reports: new Map(),
    reportsRead: [],
    held: new Map(),
    agentQuestions: 0,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return upstream
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text), ...headers }).end(text)
}

/** As identity answers which agents have lost a right. */
function restricted({ agents }: Upstream): object {
  const found = [...agents.values()].filter(({ status, requireSignature }) => status !== 'active' || requireSignature)
  return { agents: found, next: new Date().toISOString(), more: false }
}

/** As treasury answers for a payment by x402. */
const settled = {
  id: '0190a5d0-0000-7000-8000-000000000402',
  payer: `0x${'1'.repeat(40)}`,
  chain: 'BASE_SEPOLIA',
  network: 'eip155:84532',
  txHash: `0x${'2'.repeat(64)}`,
  amount: '1000',
  nonce: `0x${'3'.repeat(64)}`,
}

function answerInternal(upstream: Upstream, { url, context, body }: Seen, response: ServerResponse): void {
  const key = decodeURIComponent(url.split('/').at(-1) ?? '').toLowerCase()
  const receipt = url.startsWith('/api/trust-receipts/') ? upstream.receipts.get(key) : undefined
  if (url.startsWith('/internal/v1/agents/')) upstream.agentQuestions++
  const agent = url.includes('/by-wallet/')
    ? [...upstream.agents.values()].find(({ wallet }) => wallet?.toLowerCase() === key)
    : upstream.agents.get(key)
  if (context?.mode !== 'internal') json(response, 401, { message: 'not internal', code: 'AUTH_REQUIRED', status: 401 })
  else if (upstream.identityDown) json(response, 503, { message: 'down', code: 'DEPENDENCY_UNAVAILABLE', status: 503 })
  else if (url.endsWith('/is-valid-signature')) {
    upstream.contractQuestions++
    json(response, 200, { valid: upstream.contractAccepts })
  } else if (url.startsWith('/internal/v1/chain/') && upstream.chainsDown) json(response, 503, { code: 'CHAIN_UNAVAILABLE', status: 503 })
  else if (url.startsWith('/internal/v1/chain/') && url.endsWith('/status')) json(response, 200, { head: 1 })
  else if (url.startsWith('/internal/v1/restricted-agents')) json(response, 200, restricted(upstream))
  else if (url === '/internal/v1/clock') void upstream.moveClock().then(() => json(response, 200, { offsetMs: 0 }))
  else if (url === '/internal/v1/x402/payments') {
    upstream.collected.push(JSON.parse(body.toString()))
    json(response, 200, settled)
  } else if (url === `/internal/v1/x402/payments/${settled.id}/close`) {
    if (upstream.closesLost-- > 0) return void response.destroy()
    upstream.closed.push(JSON.parse(body.toString()))
    json(response, 200, { state: 'settled' })
  } else if (url === '/internal/v1/networks') json(response, 200, { networks: upstream.networks })
  else if (upstream.reports.has(url)) {
    upstream.reportsRead.push(url)
    json(response, 200, upstream.reports.get(url))
  } else if (url.startsWith('/internal/v1/chain/') && upstream.transactions.has(key)) json(response, 200, upstream.transactions.get(key))
  else if (url.includes('/balance/')) json(response, 200, { usdc: '1250000', native: '1', blockNumber: 1 })
  else if (url.startsWith('/api/gigs/') && upstream.gigs.has(key)) json(response, 200, upstream.gigs.get(key))
  else if (receipt) json(response, 200, receipt)
  else if (agent) json(response, 200, agent)
  else json(response, 404, { message: 'Not found', code: 'NOT_FOUND', status: 404 })
}
