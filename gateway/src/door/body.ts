import type { IncomingMessage } from 'node:http'
import { collectBody, hasBody } from '@carapace/service'

/**
 * The raw bytes of a body, never parsed here. It is read whole before a service hears of the request: a slow client holds no upstream connection,
 * and one that goes away in the middle leaves nothing behind.
 * @throws PAYLOAD_TOO_LARGE for a body without a length that grows too big; ClientGone
 */
export const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
  hasBody(request) ? collectBody(request, () => new ClientGone()) : Promise.resolve(undefined)

/** The client broke the connection: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client closed the connection')
    this.name = 'ClientGone'
  }
}
