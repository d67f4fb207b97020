import type { Socket } from 'node:net'
// @ts-expect-error: not declared; it must be the same copy of the driver that mongoose uses
import { Connection as OwnConnection } from 'mongodb/lib/cmap/connection.js'

/** What is used here of the driver's own class, which it does not export. */
interface DriverConnection {
  /** Why it was closed. */
  error: Error | null
  once(event: 'close', listener: () => void): this
  writeCommand(...args: unknown[]): Promise<void>
}
type DriverConnectionClass = new (socket: Socket, options: object) => DriverConnection

const Connection: DriverConnectionClass = OwnConnection

/**
 * The driver's connection without two faults that it has when the server goes away (seen in 7.8, the same in 7.9):
 * a command that is written between the end of the socket and its `close` event waits for `drain` for ever, which leaves an operation,
 * or the monitor and thereby the whole client, without an answer; and a write that fails is reported as the socket's bare error, which
 * is neither retried nor treated as a sign that the server has ended (docs/decisions/015).
 */
export class PromptConnection extends Connection {
  constructor(socket: Socket, options: object) {
    super(socket, options)
    this.once('close', () => {
      if (socket.listenerCount('drain') > 0) socket.emit('error', this.error)
    })
  }

  override async writeCommand(...args: unknown[]): Promise<void> {
    try {
      await super.writeCommand(...args)
    } catch (error) {
      throw this.error ?? error
    }
  }
}
