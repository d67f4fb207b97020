import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Anvil, type Network, processIdentity, spawnAnvil } from './process.ts'
import { connectUpstream, type Upstream } from './upstream.ts'

/** One anvil process and our connection to it. */
export type Node = { anvil: Anvil; upstream: Upstream }

export type NodeOptions = {
  /** Where anvil's working files are. */
  dir: string
  /** The timestamp of the genesis block; with it the genesis hash of a network is always the same. */
  genesisSec: number
}

/** Starts an empty anvil, which ends with this process. */
export async function startNode(network: Network, { dir, genesisSec }: NodeOptions): Promise<Node> {
  const anvil = await spawnAnvil(network, dir, genesisSec)
  try {
    return { anvil, upstream: await connectUpstream(anvil.port) }
  } catch (error) {
    await anvil.kill()
    throw error
  }
}

/**
 * From now on anvil outlives this process, to be found by `findOrphan`. Only for one that has the whole chain and its clock: an anvil that a killed
 * process left in the middle of a replay has the right blocks, and a clock that stays in the past.
 */
export async function letOutlive({ anvil }: Node, dir: string): Promise<void> {
  await writePidFile(dir, anvil)
  anvil.outlive()
}

export async function stopNode({ anvil, upstream }: Node): Promise<void> {
  upstream.close()
  await anvil.kill()
}

type PidFile = { pid: number; identity: string | undefined; port: number }

const pidFileName = 'anvil.json'
const exitPollMs = 100

async function writePidFile(dir: string, { pid, port }: Anvil): Promise<void> {
  const temp = join(dir, `${pidFileName}.tmp`)
  await writeFile(temp, JSON.stringify({ pid, identity: processIdentity(pid), port } satisfies PidFile), { mode: 0o600 })
  await rename(temp, join(dir, pidFileName))
}

export function removePidFile(dir: string): Promise<void> {
  return rm(join(dir, pidFileName), { force: true })
}

/** The anvil of an earlier supervisor of this folder, if it still lives. */
export async function findOrphan(dir: string): Promise<Anvil | undefined> {
  const text = await readFile(join(dir, pidFileName), 'utf8').catch(() => '')
  if (text === '') return undefined
  const { pid, identity, port } = JSON.parse(text) as PidFile
  if (identity === undefined || processIdentity(pid) !== identity) return undefined
  const isAlive = () => processIdentity(pid) === identity
  const exited = new Promise<void>(resolve => {
    // It is no child of ours, so its end is found only by polling.
    const poll = setInterval(() => {
      if (isAlive()) return
      clearInterval(poll)
      resolve()
    }, exitPollMs).unref()
  })
  const kill = async () => {
    if (isAlive()) process.kill(pid, 'SIGKILL')
    while (isAlive()) await new Promise(resolve => setTimeout(resolve, 5))
  }
  return { pid, port, exited, kill, outlive: () => undefined }
}
