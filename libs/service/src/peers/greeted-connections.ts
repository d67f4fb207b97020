import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { buildConnector, type Pool } from 'undici'

/** The first request on a new connection: an answer to HEAD has no body, and every process serves this. */
const greeting = { method: 'HEAD', url: '/healthz' }
export const isGreeting = ({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean => method === greeting.method && url === greeting.url

/** No process has accepted the connection, so that nothing of a request was sent on it. */
export class ConnectionNotAccepted extends Error {
  readonly code = 'CONNECTION_NOT_ACCEPTED'

  constructor(cause: unknown) {
    super('The connection was not accepted', { cause })
  }
}

/** One that nothing was sent on but the greeting is idle for the service, which ends it after its own time (`fastExpress`): it is used before. */
const unusedMs = 1_000
const endOfHead = '\r\n\r\n'
const longestHead = 4_096

/**
 * For undici: a connection is used once the process at its other end has answered on it. The kernel completes connections that the process has not
 * accepted, and resets them when that one ends: a write on such a connection could not be sent again, because nobody knows who has read it.
 * @param timeoutMs for the connection, and again for its first answer
 */
export function greetedConnections(timeoutMs: number): Pick<Pool.Options, 'connect' | 'keepAliveTimeout'> {
  const open = buildConnector({ timeout: timeoutMs })
  const connect: buildConnector.connector = (options, callback) =>
    open(options, (error, socket) => {
      if (error) return callback(new ConnectionNotAccepted(error), null)
      greet(socket, options.hostname, timeoutMs).then(
        () => callback(null, socket),
        (failure: unknown) => {
          socket.destroy()
          callback(new ConnectionNotAccepted(failure), null)
        },
      )
    })
  return { connect, keepAliveTimeout: unusedMs }
}

/** Resolves when the head of an answer has come after which the connection stays open. @throws when it breaks or ends before */
function greet(socket: Socket, host: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    const settle = (error?: Error) => {
      clearTimeout(timer)
      socket.off('readable', read).off('error', settle).off('close', closed)
      if (error) reject(error)
      else resolve()
    }
    const closed = () => settle(new Error('It was closed'))
    const timer = setTimeout(() => settle(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
    const read = () => {
      head += (socket.read() as Buffer | null)?.toString('latin1') ?? ''
      if (head.length > longestHead) settle(new Error('It has no end of the head'))
      else if (head.endsWith(endOfHead)) settle(/^connection: *close/im.test(head) ? new Error('It will be closed') : undefined)
    }
    socket.on('readable', read).on('error', settle).on('close', closed)
    socket.write(`${greeting.method} ${greeting.url} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  })
}
