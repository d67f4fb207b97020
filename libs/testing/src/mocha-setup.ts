import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { doorVariable, takePlace } from './broker.ts'
import { type BrokerSource, openBrokerSource } from './broker-source.ts'

/**
 * Mocha's global fixtures (`require` in .mocharc.json). They run once, in the parent of the parallel workers: it opens a socket at which test
 * files ask for a broker, starts the broker when the first one does, and stops it in the end.
 */
let folder: string
let server: Server
let source: Promise<BrokerSource> | undefined
const leases = new Map<Socket, Promise<void>>()

export async function mochaGlobalSetup(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'carapace-test-'))
  const door = path.join(folder, 'broker.sock')
  server = createServer({ allowHalfOpen: true }, socket => {
    leases.set(
      socket,
      serve(socket).finally(() => leases.delete(socket)),
    )
  })
  await new Promise<void>(resolve => server.listen(door, resolve))
  server.unref()
  process.env[doorVariable] = door
}

export async function mochaGlobalTeardown(): Promise<void> {
  delete process.env[doorVariable]
  server.close()
  for (const forgotten of leases.keys()) forgotten.destroy()
  await Promise.all(leases.values())
  const opened = await source?.catch(() => undefined)
  await opened?.close()
  await rm(folder, { recursive: true, force: true })
}

/** One test file: a place on the broker until it hangs up. */
async function serve(socket: Socket): Promise<void> {
  const hungUp = new Promise<void>(resolve => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
    socket.once('error', () => resolve())
  })
  socket.resume()
  try {
    source ??= openBrokerSource()
    const place = await takePlace(await source)
    socket.write(`${JSON.stringify({ url: place.url, prefix: place.prefix })}\n`)
    await hungUp
    await place.stop()
  } catch (error) {
    socket.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
  } finally {
    socket.end()
  }
}
