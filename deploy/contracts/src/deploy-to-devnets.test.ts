import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Chain, chains } from '@carapace/api'
import { networks } from '@carapace/chain'
import { deployReplacement, interfaceOf, type ReplacementGroup, writeAddresses } from '@carapace/contracts'
import { type Devnet, startDevnets } from '@carapace/devnet'
import { readConfig } from '@carapace/service'
import { computeAddress, Wallet } from 'ethers'
import { deployToDevnets } from './deploy-to-devnets.ts'

const chain = 'BASE_SEPOLIA'
const admin = `0x${'18'.repeat(20)}`
const key = `0x${'17'.repeat(32)}`
const network = (one: Chain) => ({ chain: one, chainId: networks[one].chainId, gasless: networks[one].gasless, port: 0 })

describe('the contracts on devnets', () => {
  let folder: string
  let devnets: Devnet<undefined>[]
  const file = (chain: string) => path.join(folder, `${chain}.json`)
  const addresses = () => Promise.all(chains.map(async chain => JSON.parse(await readFile(file(chain), 'utf8'))))
  /** How many transactions each network has; after the last one some empty blocks follow. */
  const transactions = () =>
    Promise.all(
      devnets.map(async ({ rpcUrl }) => {
        let all = 0
        for (let at = Number((await call(rpcUrl, 'eth_blockNumber')).result); at > 0; at--)
          all += Number((await call(rpcUrl, 'eth_getBlockTransactionCountByNumber', `0x${at.toString(16)}`)).result)
        return all
      }),
    )
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-contracts-'))
    devnets = await startDevnets<undefined>({ networks: chains.map(network), deploy: async () => undefined, mining: { heartbeatMs: 600_000 } })
  })
  after(async () => {
    await Promise.all(devnets.map(devnet => devnet.close()))
    await rm(folder, { recursive: true, force: true })
  })
  /** As an operator does it. */
  const replace = async (name: ReplacementGroup) => {
    const present = JSON.parse(await readFile(file(chain), 'utf8'))
    const { rpcUrl } = devnets[chains.indexOf(chain)]!
    const deployer = Wallet.createRandom()
    await call(rpcUrl, 'anvil_setBalance', deployer.address, '0xde0b6b3a7640000')
    const roles = { operator: computeAddress(key), pauser: admin, proposers: [admin], timelockDelaySeconds: 60, baseUrl: 'http://127.0.0.1:3000' }
    await writeFile(file(chain), JSON.stringify(await deployReplacement({ ...roles, rpcUrl, deployerKey: deployer.privateKey, name, present })))
  }
  const config = (urls: readonly string[] = devnets.map(({ rpcUrl }) => rpcUrl)) =>
    readConfig({
      ...Object.fromEntries(chains.map((chain, at) => [`${chain}_RPC_URL`, urls[at]])),
      ...Object.fromEntries(
        chains.flatMap(chain => [
          [`${chain}_ADDRESSES`, file(chain)],
          [`RELAYER_KEY_${chain}`, key],
        ]),
      ),
      ORACLE_WALLET: admin,
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
    const before = [await addresses(), await transactions()]

    await deployToDevnets(config())

    assert.deepEqual([await addresses(), await transactions()], before)
    assert.ok((await transactions()).every(count => count > 0))
  })

  it('stay replaced when the job runs again', async () => {
    const at = chains.indexOf(chain)
    const first = (await addresses())[at].addresses
    for (const name of ['SwarmValidator', 'Commerce', 'Escrow'] as const) await replace(name)
    const before = await addresses()

    await deployToDevnets(config())

    assert.deepEqual(await addresses(), before)
    const former = ['SwarmValidator', 'Bond', 'Commerce', 'JobEvaluator', 'Escrow'].map(name => [name, [first[name]]])
    assert.deepEqual(before[at].former, Object.fromEntries(former))
  })

  it('send their fees to the first pool, also where others are present', async () => {
    const at = chains.indexOf(chain)
    const { addresses: present, former } = (await addresses())[at]
    const view = async (name: 'Escrow' | 'Commerce' | 'Bond' | 'SwarmValidator', fn: string) => {
      const data = interfaceOf(name).encodeFunctionData(fn)
      const { result } = await call(devnets[at]!.rpcUrl, 'eth_call', { to: present[name], data }, 'latest')
      return interfaceOf(name).decodeFunctionResult(fn, result)[0]
    }

    const fees = [await view('Escrow', 'feeRecipient'), await view('Commerce', 'feeRecipient')]
    assert.deepEqual(fees, [former.SwarmValidator[0], former.SwarmValidator[0]])
    assert.deepEqual([await view('Bond', 'pool'), await view('SwarmValidator', 'bond')], [present.SwarmValidator, present.Bond])
  })

  it('stay named as former ones by a deployment that has others in their place', async () => {
    const at = chains.indexOf(chain)
    const whole = await readFile(file(chain), 'utf8')
    const before = JSON.parse(whole)
    await replace('Commerce')
    const { former: _, ...deployed } = JSON.parse(await readFile(file(chain), 'utf8'))
    await writeFile(file(chain), whole)

    await writeAddresses(file(chain), devnets[at]!.rpcUrl, deployed)

    const every = (name: string) => [...before.former[name], before.addresses[name]]
    const { addresses: present, former } = (await addresses())[at]
    assert.deepEqual(present, deployed.addresses)
    assert.deepEqual(former, { ...before.former, Commerce: every('Commerce'), JobEvaluator: every('JobEvaluator') })
  })

  it('are forgotten where the devnet is another one', async () => {
    const at = chains.indexOf(chain)
    const [devnet] = await startDevnets<undefined>({ networks: [network(chain)], deploy: async () => undefined, mining: { heartbeatMs: 600_000 } })
    try {
      await deployToDevnets(config(devnets.map(({ rpcUrl }, one) => (one === at ? devnet!.rpcUrl : rpcUrl))))

      assert.equal((await addresses())[at].former, undefined)
    } finally {
      await devnet!.close()
    }
  })

  it('stay as they are when the key of the operator is exchanged', async () => {
    const before = await addresses()
    const next = Object.fromEntries(chains.map(chain => [`RELAYER_KEY_${chain}`, `0x${'19'.repeat(32)}`]))

    await deployToDevnets({ ...config(), ...next })

    assert.deepEqual(await addresses(), before)
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
