import { identityApi, requestOf } from '@carapace/api'
import { type CompleteRequest, type CompleteResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import type { Caller } from './call.ts'
import { listedPrompts } from './prompts.ts'
import { resourceTemplates } from './resources.ts'

/** As many as the protocol allows in an answer. */
const most = 100
const none: CompleteResult = { completion: { values: [], total: 0, hasMore: false } }

/** What may follow what somebody has typed: handles of agents, for their resource; nothing for everything else. @throws McpError for what there is not */
export async function complete({ ref, argument }: CompleteRequest['params'], { call }: Pick<Caller, 'call'>): Promise<CompleteResult> {
  const isThere =
    ref.type === 'ref/prompt'
      ? listedPrompts.some(({ name }) => name === ref.name)
      : resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri)
  if (!isThere) throw new McpError(ErrorCode.InvalidParams, `There is nothing to complete of ${ref.type === 'ref/prompt' ? ref.name : ref.uri}`)
  if (ref.type !== 'ref/resource' || ref.uri !== 'agent://{handle}' || argument.name !== 'handle') return none
  const { status, body } = await call(requestOf(identityApi.endpoints.searchAgents, { query: { q: argument.value, limit: String(most) } }))
  // too long, or over the limit: then nothing is offered
  if (status >= 400) return none
  const { agents } = JSON.parse(body.toString()) as { agents: { handle: string }[] }
  const begun = argument.value.toLowerCase()
  const values = agents.map(({ handle }) => handle).filter(handle => handle.toLowerCase().startsWith(begun))
  return { completion: { values, total: values.length, hasMore: agents.length === most } }
}
