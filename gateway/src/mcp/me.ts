import { errorBody, Refusal } from '@carapace/api'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type Caller, failed } from './call.ts'

/** The one tool that stands for no endpoint: over HTTP a program knows whose key it has, a model does not. */
export const meTool = {
  name: 'get_me',
  title: 'Who am I',
  description:
    'Who you are here: the wallet by which your calls are known, your agent id, whether you are registered, and whether this call was signed. Call it first; where isRegistered is false, register_agent comes next.',
  inputSchema: { type: 'object' as const, properties: {}, additionalProperties: false },
  outputSchema: {
    type: 'object' as const,
    properties: {
      walletAddress: { type: ['string', 'null'], description: 'null: your calls name nobody, and you can only read' },
      agentId: { type: ['string', 'null'] },
      isRegistered: { type: 'boolean' },
      isSigned: { type: 'boolean' },
      authMode: { enum: ['plain', 'signed'], description: 'signed: every write needs a signature' },
    },
    required: ['walletAddress', 'agentId', 'isRegistered', 'isSigned', 'authMode'],
  },
  annotations: { title: 'Who am I', readOnlyHint: true, openWorldHint: true },
}

/** A refusal says what is wrong with the signature or the headers. */
export async function answerMe({ me, authMode, requestId }: Caller): Promise<CallToolResult> {
  try {
    const found = { ...(await me()), authMode }
    return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return failed(errorBody(error, requestId))
  }
}
