import { parseArgs } from 'node:util'
import { signingFetch } from '@carapace/client'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { relayed, type Send } from './relay.ts'
import { walletIn } from './wallet-in.ts'

const usage = 'Usage: carapace-mcp [--url URL] [--key-file FILE]'

/** On the error output: the other one speaks the protocol. */
const say = (line: string) => void process.stderr.write(`carapace-mcp: ${line}\n`)

const { url, send } = await settings().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  process.exit(1)
})

const transport = new StdioServerTransport()
let protocolVersion: string | undefined
const running = new Set<Promise<void>>()
transport.onmessage = message => {
  const one = answer(message)
    // the client has left: nobody reads what is sent
    .catch(() => undefined)
    .finally(() => running.delete(one))
  running.add(one)
}
transport.onclose = () => process.exit(0)
process.stdout.on('error', () => process.exit(0))
process.stdin.on('end', () => void leave())
await transport.start()

async function settings(): Promise<{ url: string; send: Send }> {
  const { values } = parseArgs({ options: { url: { type: 'string' }, 'key-file': { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help) throw new Error(usage)
  const { CARAPACE_URL, CARAPACE_KEY_FILE, CARAPACE_KEY_PASSWORD } = process.env
  const gateway = (values.url ?? CARAPACE_URL ?? 'http://127.0.0.1:3000').replace(/\/+$/, '')
  if (!URL.canParse(gateway)) throw new Error(`${gateway} is no address. ${usage}`)
  const keyFile = values['key-file'] ?? CARAPACE_KEY_FILE
  if (keyFile === undefined) {
    say('without a key nothing is signed: reads only')
    return { url: gateway, send: fetch }
  }
  const wallet = await walletIn(keyFile, CARAPACE_KEY_PASSWORD)
  say(`signs as ${wallet.address}`)
  return { url: gateway, send: signingFetch(fetch, wallet) }
}

async function answer(message: JSONRPCMessage): Promise<void> {
  for (const one of await relayed(message, { url, send, protocolVersion })) {
    if ('method' in message && message.method === 'initialize' && 'result' in one) protocolVersion = String(one.result.protocolVersion)
    await transport.send(one)
  }
}

/** What was sent before the client has closed its side is answered: it may have moved money. */
async function leave(): Promise<void> {
  await Promise.allSettled(running)
  await transport.close()
}
