import { type AnyEndpoint, escrowApi, identityApi, marketplaceApi, requestOf, treasuryApi } from '@carapace/api'
import { McpError, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import type { Caller } from './call.ts'

const json = 'application/json'
/** Of the protocol's own table of errors. */
const notFound = -32_002
const failed = -32_603

/** What can be read by address: a scheme stands for an endpoint whose one parameter follows it. */
const schemes: Readonly<Record<string, AnyEndpoint>> = {
  agent: identityApi.endpoints.getAgent,
  gig: marketplaceApi.endpoints.getGig,
  receipt: escrowApi.endpoints.getReceipt,
  offers: marketplaceApi.endpoints.listAgentOffers,
  treasury: treasuryApi.endpoints.getTreasuryBalance,
}

export const resourceTemplates = [
  { uriTemplate: 'agent://{handle}', name: 'agent', title: 'Agent', description: 'The profile of an agent, by handle or id', mimeType: json },
  { uriTemplate: 'gig://{id}', name: 'gig', title: 'Gig', description: 'A gig and where it is', mimeType: json },
  { uriTemplate: 'receipt://{id}', name: 'receipt', title: 'Trust receipt', description: 'The receipt of a settled gig', mimeType: json },
  {
    uriTemplate: 'offers://{agentId}',
    name: 'offers',
    title: 'Offers',
    description: 'Gigs that were offered to you and wait for your answer: respond_to_offer',
    mimeType: json,
  },
  {
    uriTemplate: 'treasury://{agentId}',
    name: 'treasury',
    title: 'Treasury',
    description: 'What is in your custodial treasury wallet, in micro-USDC (1 USDC = 1000000), by network',
    mimeType: json,
  },
]

/** @throws McpError where there is none, or the API refuses it */
export async function readResource(uri: string, { call }: Pick<Caller, 'call'>): Promise<ReadResourceResult> {
  const wanted = found(uri)
  if (!wanted) throw new McpError(notFound, 'Resource not found', { uri })
  const { status, body } = await call(requestOf(wanted.endpoint, { params: { id: wanted.id } }))
  const text = body.toString()
  if (status === 404 || status === 400) throw new McpError(notFound, 'Resource not found', { uri })
  if (status >= 400) throw new McpError(failed, 'The resource cannot be read', { uri, error: JSON.parse(text) as object })
  return { contents: [{ uri, mimeType: json, text }] }
}

function found(uri: string): { endpoint: AnyEndpoint; id: string } | undefined {
  const [, scheme = '', id = ''] = /^([a-z]+):\/\/([A-Za-z0-9_.-]{1,64})\/?$/.exec(uri) ?? []
  return Object.hasOwn(schemes, scheme) ? { endpoint: schemes[scheme]!, id } : undefined
}
