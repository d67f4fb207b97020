import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answer = JSON.stringify({ message: 'No such service is started', code: 'DEPENDENCY_UNAVAILABLE', status: 503 })
let url: Promise<string> | undefined

/**
 * Where the services answer that a platform does not start: a refusal without delay. Nobody listening would not do, because calls to a service that
 * restarts are sent again for seconds. One for the process, which it does not hold open.
 */
export function absentService(): Promise<string> {
  url ??= start()
  return url
}

async function start(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(503, { 'content-type': 'application/json' }).end(answer))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
