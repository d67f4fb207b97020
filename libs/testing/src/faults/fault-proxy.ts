import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A proxy on loopback, or on a Unix socket, that can be set to misbehave. A mode holds for open and new connections until the next one. */
export interface FaultProxy {
  /** 0 on a Unix socket. */
  port: number
  /** Forwards immediately; the mode at the start. */
  pass(): void
  /** Each chunk arrives so many ms later, both ways. */
  delay(ms: number): void
  /** So many bytes per second, each way of each connection. */
  throttle(bytesPerSecond: number): void
  /** Holds connections open and forwards nothing. */
  hold(): void
  /** Ends all connections in order (FIN) and refuses new ones. */
  cut(): void
  /** Breaks all connections (RST); new ones behave as the mode says. */
  reset(): void
  /** Connections that are open now. */
  connections(): number
  close(): Promise<void>
}

type Mode = { kind: 'pass' } | { kind: 'delay'; ms: number } | { kind: 'throttle'; bytesPerSecond: number } | { kind: 'hold' } | { kind: 'cut' }

const pollMs = 10

/**
 * Starts a proxy in front of `host:port`, on a free port or on the Unix socket `path`.
 * @example const proxy = await startFaultProxy({ port: 5672 }); proxy.reset()
 */
export async function startFaultProxy(target: { host?: string; port: number }, path?: string): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let mode: Mode = { kind: 'pass' }

  const server = createServer(client => {
    if (mode.kind === 'cut') return client.destroy()
    const upstream = connect(target.port, target.host ?? '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
      from.on('data', chunk => void forward(from, to, chunk))
      from.on('end', () => to.end())
    }
  })

  async function forward(from: Socket, to: Socket, chunk: Buffer): Promise<void> {
    if (mode.kind === 'pass' && !from.isPaused()) {
      if (!to.write(chunk)) await drained(from, to)
      return
    }
    from.pause()
    if (mode.kind === 'delay') await sleep(mode.ms)
    if (mode.kind === 'throttle') await sleep((chunk.length / mode.bytesPerSecond) * 1000)
    while (mode.kind === 'hold' && !to.destroyed) await sleep(pollMs)
    if (!to.destroyed) to.write(chunk)
    from.resume()
  }

  const end = (how: (socket: Socket) => void) => {
    for (const pair of pairs) for (const socket of pair) how(socket)
  }
  if (path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')

  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    pass: () => {
      mode = { kind: 'pass' }
    },
    delay: ms => {
      mode = { kind: 'delay', ms }
    },
    throttle: bytesPerSecond => {
      mode = { kind: 'throttle', bytesPerSecond }
    },
    hold: () => {
      mode = { kind: 'hold' }
    },
    cut: () => {
      mode = { kind: 'cut' }
      end(socket => socket.destroy())
    },
    reset: () => end(socket => socket.resetAndDestroy()),
    connections: () => pairs.size,
    async close() {
      end(socket => socket.destroy())
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Should `to` close instead, then `from` is destroyed with it. */
async function drained(from: Socket, to: Socket): Promise<void> {
  from.pause()
  await once(to, 'drain').catch(() => {})
  from.resume()
}
