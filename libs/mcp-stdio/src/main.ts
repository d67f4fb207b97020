import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { relayed, type Send } from './relay.ts'
import { signedFetch, walletIn } from './signed-fetch.ts'

const { values } = parseArgs({ options: { url: { type: 'string' }, 'key-file': { type: 'string' } } })
const { CARAPACE_URL, CARAPACE_KEY_FILE, CARAPACE_KEY_PASSWORD } = process.env
const url = (values.url ?? CARAPACE_URL ?? 'http://127.0.0.1:3000').replace(/\/+$/, '')
const keyFile = values['key-file'] ?? CARAPACE_KEY_FILE

const wallet = keyFile === undefined ? undefined : await walletIn(keyFile, CARAPACE_KEY_PASSWORD)
const send: Send = wallet ? signedFetch(wallet) : fetch

const transport = new StdioServerTransport()
let protocolVersion: string | undefined
transport.onmessage = message => {
  void relayed(message, { url, send, protocolVersion }).then(async answers => {
    for (const answer of answers) {
      if ('method' in message && message.method === 'initialize' && 'result' in answer) protocolVersion = String(answer.result.protocolVersion)
      await transport.send(answer)
    }
  })
}
transport.onclose = () => process.exit(0)
process.stdin.on('end', () => void transport.close())
await transport.start()
