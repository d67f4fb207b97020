import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody, Refusal } from '@carapace/api'

const causes: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** What is no HTTP request gets the error body of all others, then the connection ends. */
export function answerBrokenRequests(server: Server, newId: () => string): void {
  /** The answer to the last request of each connection: answers go out in order, so that none is open once this one is closed. */
  const latest = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request, response) => void latest.set(request.socket, response))
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    // requests before it on this connection get their answers first; one that itself is broken gets none but this
    const last = latest.get(socket)
    if (last && !last.closed && last.req.complete) last.once('close', () => refuseBroken(error, socket))
    else refuseBroken(error, socket)
  })
  const refuseBroken = (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable) return
    const requestId = newId()
    const message = causes[error.code ?? ''] ?? 'This is no valid HTTP request'
    const body = JSON.stringify(errorBody(new Refusal('VALIDATION_ERROR', { message, errors: [{ path: 'request', message }] }), requestId))
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        `x-request-id: ${requestId}`,
        'cache-control: no-store',
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
  // an Expect that is not 100-continue is no reason to answer without a body
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
