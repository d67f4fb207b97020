import { reads } from './tools/reads.ts'
import type { Tool } from './tools/tool.ts'
import { writes } from './tools/writes.ts'

/** All tools, by name. */
export const tools: ReadonlyMap<string, Tool> = new Map([...reads, ...writes].map(tool => [tool.name, tool]))
