import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@carapace/api'
import { processIdentity } from '@carapace/devnet'
import { makePeers, readConfig } from '@carapace/service'
import { openSystem } from '@carapace/testing'
import { findSystem } from '../addresses.ts'
import { processVariables } from '../config.ts'
import { supervise } from '../distributed/supervise.ts'
import { examine } from '../doctor/examine.ts'
import { existingKey } from '../keys.ts'
import { services } from '../services.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { freePorts } from '../testing/ports.ts'
import { signal, treeOf } from './process-tree.ts'
import type { Subject } from './subject.ts'

const program = fileURLToPath(new URL('../main.js', import.meta.url))

export interface EmbeddedOptions {
  /** Variables beyond those of a start with a data folder of its own. */
  variables?: Record<string, string>
  /** Where users reach the networks, when the platform itself is given other URLs. */
  rpcUrls?: Readonly<Record<string, string>>
  /** Default: one of its own, removed at the end. */
  dataDir?: string
}

/** `npm start` as a process of its own that is started again when it ends, on ports that stay the same. */
export async function startEmbeddedSystem({
  variables = {},
  rpcUrls,
  dataDir,
}: EmbeddedOptions = {}): Promise<Subject & { /** Of the main process; undefined between two starts. */ pid: () => number | undefined }> {
  const folder = dataDir === undefined ? await ownFolder() : { path: dataDir, remove: async () => undefined }
  const port = await freePorts(3)
  const url = `http://127.0.0.1:${port}`
  const start = supervise({
    name: 'npm start',
    file: program,
    environment: {
      PATH: processVariables.PATH,
      DATA_DIR: folder.path,
      PORT: String(port),
      DEVNET_RPC_PORT: String(port + 1),
      LOG_LEVEL: processVariables.LOG_LEVEL ?? 'silent',
      RATE_LIMIT_READ: '1000000',
      RATE_LIMIT_WRITE: '1000000',
      ...variables,
    },
    url,
    say: () => undefined,
    pausesMs: [200],
    stdout: 'ignore',
  })
  const end = async () => {
    await start.close()
    await folder.remove()
  }
  try {
    await start.ready()
    const system = await openSystem(url, rpcUrls)
    const wrong = async () => {
      const config = readConfig({ DATA_DIR: folder.path })
      const [{ address }, internalKey] = [await findSystem(config, url), await existingKey(folder.path, 'internalKey')]
      const names = services.map(({ api }) => api.name as ServiceName)
      const patient = { baseUrl: url, services: names, address, peers: makePeers(address, internalKey!), adminKey: undefined, signer: undefined }
      return (await examine(patient)).filter(({ count }) => count > 0)
    }
    const main = { name: 'the main process', strike: () => start.pid() !== undefined && signal(start.pid()!, 'SIGKILL') }
    const tree = {
      name: 'the whole tree',
      strike: async () => {
        const pid = start.pid()
        if (pid === undefined) return false
        // Also the chains' nodes of an earlier start, which this one adopted: they are no children of it.
        const all = new Set([...(await treeOf(pid)), ...(await anvilsOf(folder.path))])
        return [...all].map(one => signal(one, 'SIGKILL'))[0]!
      },
    }
    return {
      system,
      pid: start.pid,
      blows: [main, tree],
      serves: start.ready,
      wrong,
      end: async () => {
        system.close()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function ownFolder(): ReturnType<typeof temporaryDataDir> {
  const { path: folder, remove } = await temporaryDataDir()
  // A start that was killed leaves the chains' nodes to the next one, and there is none.
  const end = async () => {
    for (const pid of await anvilsOf(folder)) signal(pid, 'SIGKILL')
    await remove()
  }
  return { path: folder, remove: end }
}

/** The processes of the chains' nodes that a start left its notes of. */
async function anvilsOf(dataDir: string): Promise<number[]> {
  const folder = path.join(dataDir, 'devnet')
  const names = await readdir(folder).catch(() => [])
  const notes = await Promise.all(names.map(name => readFile(path.join(folder, name, 'anvil.json'), 'utf8').catch(() => undefined)))
  const nodes = notes.filter(text => text !== undefined).map(text => JSON.parse(text) as { pid: number; identity: string })
  return nodes.filter(({ pid, identity }) => processIdentity(pid) === identity).map(({ pid }) => pid)
}
