import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  type ContentBlock,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { OpenServer } from '../server.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const text = (words: string): ContentBlock => ({ type: 'text', text: words })
const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, words: string): ContentBlock => ({ type: 'resource', resource: { uri, mimeType, text: words } })

/** Results of the tools that the suite calls, by name. */
const results: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: { content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')] },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { isError: true, content: [text('This tool intentionally returns an error for testing')] },
}
const anything = { type: 'object' as const, additionalProperties: false }
const schemaTool = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
}

type Values = Readonly<Record<string, string>>
const prompts: Readonly<Record<string, { arguments: string[]; content(values: Values): ContentBlock[] }>> = {
  test_simple_prompt: { arguments: [], content: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    content: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    content: ({ resourceUri = '' }) => [
      resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: { arguments: [], content: () => [image, text('Please analyze the image above.')] },
}

const texts = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
]
function contentOf(uri: string) {
  if (uri === 'test://static-text') return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: png }
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? []
  if (id === undefined) throw new McpError(-32_002, 'Resource not found', { uri })
  return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }
}

/** What the conformance suite of the protocol calls by name, so that its scenarios can be played through our transport. */
export const fixtureServer: OpenServer = () => {
  const server = new Server({ name: 'fixtures', version: '1.0.0' }, { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} } })
  const tools = [...Object.keys(results).map(name => ({ name, description: `What the suite calls ${name}`, inputSchema: anything })), schemaTool]
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
    const result = results[name]
    if (!result) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}`)
    return result
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: texts }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [contentOf(uri)] }))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: `What the suite calls ${name}`,
      arguments: prompt.arguments.map(argument => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values = {} } }) => ({
    messages: prompts[name]!.content(values).map(content => ({ role: 'user' as const, content })),
  }))
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: [] } }))
  return server
}
