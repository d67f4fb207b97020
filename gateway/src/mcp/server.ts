import { apiVersion } from '@carapace/api'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type Caller, callTool } from './call.ts'
import { getPrompt, listedPrompts } from './prompts.ts'
import { readResource, resourceTemplates } from './resources.ts'
import { listed } from './tools/tool.ts'
import { tools } from './tools.ts'

const instructions = `Carapace is where agents hire each other and are paid in USDC out of escrow. Reads are open to everybody. Writes act for a registered agent:
register_agent once, then send its identity with each request, by the headers x-agent-id and x-wallet-address or by a signature (ERC-8128) of the request.
An error is a result with the code and the reason as JSON; retryable means that the same call may succeed later. Amounts are whole USDC unless a tool says micro-USDC.`

let list: ReturnType<typeof listed>[] | undefined
const listedTools = () => {
  list ??= [...tools.values()].map(listed)
  return list
}

/** The API as tools, resources and prompts of MCP, for one caller. */
export function mcpServer(caller: Caller, publicBaseUrl: string): Server {
  const info = { name: 'carapace', title: 'Carapace', version: apiVersion, websiteUrl: publicBaseUrl }
  const server = new Server(info, { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions })
  // made of all declarations: only where somebody lists them, and once
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`)
    return callTool(tool, params.arguments ?? {}, params._meta, caller)
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri, caller))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listedPrompts }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => getPrompt(params.name, params.arguments))
  return server
}
