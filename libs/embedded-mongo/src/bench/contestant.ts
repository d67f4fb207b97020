import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { type Child, spawnServer } from './child.ts'
import { type Operation, prepare } from './operations.ts'

/** A server of the comparison, filled with the bench's documents. */
export interface Contestant {
  name: string
  /** CPU seconds used by the server so far. */
  cpuSeconds(): number
  run(operation: Operation, i: number): Promise<unknown>
  close(): Promise<void>
}

export async function startEcho(): Promise<Contestant> {
  return enter('echo', await spawnServer(new URL('./echo-server.js', import.meta.url), []))
}

export async function startEngine(): Promise<Contestant> {
  const data = await mkdtemp(join(tmpdir(), 'embedded-mongo-bench-'))
  const engine = await enter('engine', await spawnServer(new URL('../main.js', import.meta.url), ['--port', '0', '--data', data]))
  const close = async () => {
    await engine.close()
    await rm(data, { recursive: true })
  }
  return { ...engine, close }
}

async function enter(name: string, child: Child): Promise<Contestant> {
  const client = await new MongoClient(child.uri, { maxPoolSize: 40 }).connect()
  const target = await prepare(client)
  const close = async () => {
    await client.close()
    await child.stop()
  }
  return { name, cpuSeconds: child.cpuSeconds, run: (operation, i) => operation.run(target, i), close }
}
