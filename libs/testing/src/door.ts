import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Set by the global setup of the test run: the loopback port where its files request what they share. */
export const doorVariable = 'CARAPACE_TEST_DOOR'

/** What the files of a test run share. */
export type Shared = 'broker' | 'mongo'

/** What was requested, until it is given back. */
export type Lease<Place> = Place & { stop(): Promise<void> }

export interface Door {
  /** Waits until everything is given back, also what a killed file has left. */
  close(): Promise<void>
}

/** Opens the door, at which each request is answered by what `acquire` makes. */
export async function openDoor(acquire: (what: Shared) => Promise<Lease<object>>): Promise<Door> {
  const leases = new Map<Socket, Promise<void>>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    leases.set(
      socket,
      serve(socket, acquire).finally(() => leases.delete(socket)),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  process.env[doorVariable] = String((server.address() as AddressInfo).port)
  return {
    close: async () => {
      delete process.env[doorVariable]
      server.close()
      for (const forgotten of leases.keys()) forgotten.destroy()
      await Promise.all(leases.values())
    },
  }
}

/** One request: what it got is its own until it hangs up. */
async function serve(socket: Socket, acquire: (what: Shared) => Promise<Lease<object>>): Promise<void> {
  const hungUp = new Promise<void>(resolve => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
    socket.on('error', () => resolve())
  })
  const requested = new Promise<Shared>(resolve => createInterface({ input: socket }).once('line', line => resolve(line as Shared)))
  try {
    const what = await Promise.race([requested, hungUp])
    if (!what) return
    const { stop, ...place } = await acquire(what)
    socket.write(`${JSON.stringify(place)}\n`)
    await hungUp
    await stop()
  } catch (error) {
    socket.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
  } finally {
    socket.end()
  }
}

/**
 * Requests it of the test run. It is ours as long as the connection is open, so it is given back even when this process is killed.
 * @returns undefined outside a test run
 */
export async function requestShared<Place extends object>(what: Shared): Promise<Lease<Place> | undefined> {
  const port = process.env[doorVariable]
  if (!port) return undefined
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`${what}\n`)
  const lines = createInterface({ input: socket })
  const answer = await new Promise<Place | { error: string }>((resolve, reject) => {
    lines.once('line', line => resolve(JSON.parse(line)))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`The test run ended before it had a ${what}`)))
  })
  if ('error' in answer) throw new Error(answer.error)
  socket.unref()
  return {
    ...answer,
    async stop() {
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.ref().end()
      await closed
    },
  }
}
