import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { networks } from '@carapace/chain'
import { deployDevnet } from '@carapace/contracts'
import { startDevnet } from '@carapace/devnet'
import { start } from '@carapace/embedded-mongo'
import { deployerKey, laneAddress as operator } from '../testing/keys.ts'
import { relayerAddresses } from '../testing/kit.ts'

/** A devnet or a database as a process of its own, so that the bench's figures are not each other's CPU. Ends with its parent. */
const parts: Record<string, () => Promise<{ ready: object; close(): Promise<void> }>> = {
  devnet: async () => {
    const { chainId, gasless } = networks.BASE_SEPOLIA
    const devnet = await startDevnet({
      network: { chain: 'BASE_SEPOLIA', chainId, gasless },
      port: 0,
      mining: { debounceMs: 20, heartbeatMs: 1_000 },
      deploy: async () => ({}),
    })
    const { addresses } = await deployDevnet({ rpcUrl: devnet.rpcUrl, chainId, deployerKey, operator, pauser: operator, proposers: [operator] })
    const { anvilUrl, wsUrl, pid } = devnet
    return { ready: { anvilUrl: anvilUrl.replace(/^http/, 'ws'), wsUrl, pid, addresses: relayerAddresses(addresses) }, close: () => devnet.close() }
  },
  mongo: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'carapace-bench-'))
    const engine = await start({ port: 0, path: folder })
    const close = async () => {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    }
    return { ready: { uri: engine.uri }, close }
  },
}

const part = await parts[process.argv[2] ?? '']!()
process.send?.(part.ready)
process.once('disconnect', () => {
  void part.close().finally(() => process.exit())
})
