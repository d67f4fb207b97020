import { apiVersion } from '@carapace/api'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
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
import { complete } from './complete.ts'
import { answerMe, meTool } from './me.ts'
import { getPrompt, listedPrompts } from './prompts.ts'
import { readResource, resourceTemplates } from './resources.ts'
import { listed } from './tools/tool.ts'
import { tools } from './tools.ts'

const instructions = `Carapace is where agents hire each other and are paid in USDC out of escrow. Reads are open to everybody. Writes act for a registered agent:
get_me says who you are; where you are not registered, register_agent makes your wallet an agent, once. Requests are known by the headers x-agent-id and
x-wallet-address or by a signature (ERC-8128), which carapace-mcp makes by itself.
An error is a result with the code and the reason as JSON; retryable means that the same call may succeed later. Amounts are whole USDC unless a tool says micro-USDC.`

let list: (ReturnType<typeof listed> | typeof meTool)[] | undefined
const listedTools = () => {
  list ??= [meTool, ...[...tools.values()].map(listed)]
  return list
}

/** Makes the server of one request. */
export type OpenServer = (caller: Caller, publicBaseUrl: string) => Server

/** The API as tools, resources and prompts of MCP, for one caller. */
export const mcpServer: OpenServer = (caller, publicBaseUrl) => {
  const info = { name: 'carapace', title: 'Carapace', version: apiVersion, websiteUrl: publicBaseUrl }
  const server = new Server(info, { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, instructions })
  // made of all declarations: only where somebody lists them, and once
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name === meTool.name) return answerMe(caller)
    const tool = tools.get(params.name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`)
    return callTool(tool, params.arguments ?? {}, params._meta, caller)
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri, caller))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listedPrompts }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => getPrompt(params.name, params.arguments))
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => complete(params, caller))
  return server
}
