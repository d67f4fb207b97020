import { answer } from './server/dispatch.ts'
import { openEngine } from './server/open-engine.ts'
import { type Address, listen } from './wire/wire.ts'

export interface StartOptions extends Address {
  /** The data folder; made when missing. */
  path: string
  /** Allows `configureFailPoint` and `setParameter`, which the drivers' tests need. Never for real data. */
  testCommands?: boolean
}

export interface RunningServer {
  /** Connection string for the stock driver. */
  uri: string
  /** Closes the connections, waits for pending writes, and releases the folder. */
  close(): Promise<void>
}

/**
 * Starts a server on a port (0 or absent: a free one) of loopback, or on a Unix socket that only its owner can open.
 * Throws when the folder is in use by another engine, cannot be written, or the address is in use.
 * @example const server = await start({ path: 'data/mongo', socket: '/run/carapace/mongo.sock' })
 */
export async function start(options: StartOptions): Promise<RunningServer> {
  const engine = await openEngine(options.path, options.testCommands === true)
  try {
    const listener = await listen(
      options,
      (connection, message) => answer(engine, connection, message),
      () => {},
    )
    engine.connections = listener.connections
    return {
      uri: listener.uri,
      close: async () => {
        await listener.close()
        await engine.stop()
      },
    }
  } catch (error) {
    await engine.stop()
    throw error
  }
}
