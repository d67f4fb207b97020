import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { type Devnet, startDevnets } from '@carapace/devnet'
import { readConfig } from '@carapace/service'
import { deployToDevnets } from './deploy-to-devnets.ts'

const key = `0x${'17'.repeat(32)}`

describe('the contracts on devnets', () => {
  let folder: string
  let devnets: Devnet<undefined>[]
  const file = (chain: string) => path.join(folder, `${chain}.json`)
  const addresses = () => Promise.all(chains.map(async chain => JSON.parse(await readFile(file(chain), 'utf8'))))
  const blocks = () => Promise.all(devnets.map(async ({ rpcUrl }) => (await call(rpcUrl, 'eth_blockNumber')).result))
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-contracts-'))
    const all = chains.map(chain => ({ chain, chainId: networks[chain].chainId, gasless: networks[chain].gasless, port: 0 }))
    devnets = await startDevnets<undefined>({ networks: all, deploy: async () => undefined, mining: { heartbeatMs: 600_000 } })
  })
  after(async () => {
    await Promise.all(devnets.map(devnet => devnet.close()))
    await rm(folder, { recursive: true, force: true })
  })
  const config = (urls: readonly string[] = devnets.map(({ rpcUrl }) => rpcUrl)) =>
    readConfig({
      ...Object.fromEntries(chains.map((chain, at) => [`${chain}_RPC_URL`, urls[at]])),
      ...Object.fromEntries(
        chains.flatMap(chain => [
          [`${chain}_ADDRESSES`, file(chain)],
          [`RELAYER_KEY_${chain}`, key],
        ]),
      ),
      ORACLE_WALLET: `0x${'18'.repeat(20)}`,
    })

  it('are deployed, and their addresses written where the relayer reads them', async () => {
    const lines = await deployToDevnets(config())

    assert.equal(lines.length, chains.length)
    for (const [at, deployment] of (await addresses()).entries()) {
      assert.equal(deployment.chainId, networks[chains[at]!].chainId)
      assert.notEqual((await call(devnets[at]!.rpcUrl, 'eth_getCode', deployment.addresses.Escrow, 'latest')).result, '0x')
    }
  })

  it('stay as they are when the job runs again', async () => {
    const [before, height] = [await addresses(), await blocks()]

    await deployToDevnets(config())

    assert.deepEqual([await addresses(), await blocks()], [before, height])
  })

  it('are not deployed without the key of the operator', async () => {
    await assert.rejects(deployToDevnets({ ...config(), [`RELAYER_KEY_${chains[0]}`]: undefined }), /RELAYER_KEY_BASE_SEPOLIA is not set/)
  })
})

async function call(url: string, method: string, ...params: unknown[]): Promise<{ result: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  return response.json() as Promise<{ result: string }>
}
