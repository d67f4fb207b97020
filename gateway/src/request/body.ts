import type { IncomingMessage } from 'node:http'
import { collectBody, hasBody } from '@carapace/service'

/**
 * The raw bytes of a body, never parsed here. It is read whole before a service receives the request: a slow client holds no upstream connection,
 * and one that disconnects in the middle leaves no trace.
 * @throws PAYLOAD_TOO_LARGE for a body without a length that grows too big; ClientDisconnected
 */
export const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
  hasBody(request) ? collectBody(request, () => new ClientDisconnected()) : Promise.resolve(undefined)

/** The client broke the connection: there is nobody to answer. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client closed the connection')
    this.name = 'ClientDisconnected'
  }
}

/** Reads the body once, when it is first requested; reads have none. */
export function bodyReader(request: IncomingMessage): () => Promise<Buffer | undefined> {
  let read: Promise<Buffer | undefined> | undefined
  return () => {
    read ??= request.method === 'GET' || request.method === 'HEAD' ? Promise.resolve(undefined) : readBody(request)
    return read
  }
}
