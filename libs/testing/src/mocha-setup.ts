import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { acquirePlace, doorVariable } from './broker/broker.ts'
import { type BrokerSource, openBrokerSource } from './broker/broker-source.ts'

/**
 * Mocha's global fixtures (`require` in .mocharc.json). They run once, in the parent of the parallel workers: it opens a loopback port at which test
 * files request a broker, starts the broker when the first one does, and stops it in the end.
 */
let server: Server
let source: Promise<BrokerSource> | undefined
const leases = new Map<Socket, Promise<void>>()

export async function mochaGlobalSetup(): Promise<void> {
  server = createServer({ allowHalfOpen: true }, socket => {
    leases.set(
      socket,
      serve(socket).finally(() => leases.delete(socket)),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  process.env[doorVariable] = String((server.address() as AddressInfo).port)
}

export async function mochaGlobalTeardown(): Promise<void> {
  delete process.env[doorVariable]
  server.close()
  for (const forgotten of leases.keys()) forgotten.destroy()
  await Promise.all(leases.values())
  const opened = await source?.catch(() => undefined)
  await opened?.close()
}

/** One test file: a place on the broker until it hangs up. */
async function serve(socket: Socket): Promise<void> {
  const hungUp = new Promise<void>(resolve => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
    socket.on('error', () => resolve())
  })
  socket.resume()
  try {
    source ??= openBrokerSource()
    const place = await acquirePlace(await source)
    socket.write(`${JSON.stringify({ url: place.url, prefix: place.prefix })}\n`)
    await hungUp
    await place.stop()
  } catch (error) {
    socket.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
  } finally {
    socket.end()
  }
}
