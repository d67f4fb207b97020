import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chainRelayerApi } from '@carapace/api'
import type { Addresses, Former } from '@carapace/chain'
import { acquireMongo, startPlatform, type TestMongo } from '@carapace/testing'
import { chainRelayer } from './index.ts'
import { openRpc } from './rpc/open.ts'
import { laneAddress, laneKey } from './testing/keys.ts'
import { type TestDevnet, testDevnet, wallet } from './testing/kit.ts'

const chain = 'BASE_SEPOLIA'

/** Money that is locked in a contract is not released by another one. */
describe('a database that was opened on contracts', function () {
  this.timeout(120_000)
  let folder: string
  let mongo: TestMongo
  let devnet: TestDevnet
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carapace-contracts-'))
    mongo = await acquireMongo()
    devnet = await testDevnet()
    await (await start(devnet.rpcUrl, devnet.addresses)).close()
  })
  after(async () => {
    await devnet.close()
    await mongo.close()
    await rm(folder, { recursive: true, force: true })
  })

  const start = async (rpcUrl: string, addresses: Addresses, former: Former = {}) => {
    const file = path.join(folder, 'addresses.json')
    await writeFile(file, JSON.stringify({ addresses, former, startBlock: 0 }))
    const custody = { CUSTODY_SEED_FILE: path.join(folder, 'custody.json'), CUSTODY_PASSPHRASE: 'a passphrase for tests' }
    const env = { BASE_SEPOLIA_RPC_URL: rpcUrl, BASE_SEPOLIA_ADDRESSES: file, RELAYER_KEY_BASE_SEPOLIA: laneKey, ...custody }
    return startPlatform([chainRelayer], { mongo, env })
  }
  /** Another contract of that name on the same node, in which nobody has a role. */
  const deployOther = async (
    { rpcUrl, addresses }: TestDevnet,
    name: 'Bond' | 'SwarmValidator' | 'Escrow' | 'Commerce' | 'Card' | 'ReputationAdapter',
  ): Promise<Addresses> => {
    const rpc = openRpc({ url: rpcUrl, timeoutMs: 5_000 })
    const other = wallet()
    await rpc.call('anvil_setCode', [other, await rpc.call('eth_getCode', [addresses[name], 'latest'])])
    await rpc.close()
    return { ...addresses, [name]: other }
  }

  it('refuses a start on others, names them and says what to do', async () => {
    const others = await deployOther(devnet, 'Card')

    await assert.rejects(start(devnet.rpcUrl, others), ({ message }: Error) => {
      assert.match(message, /^BASE_SEPOLIA: this database belongs to other contracts: /)
      assert.ok(message.includes(`Card ${devnet.addresses.Card}, not ${others.Card}`), message)
      assert.match(message, /Set BASE_SEPOLIA_ADDRESSES to the file of the former ones, or begin with an empty database$/)
      return true
    })
  })

  it('refuses a replacement that it could not use, and says what that lacks', async () => {
    const others = await deployOther(devnet, 'Escrow')

    await assert.rejects(start(devnet.rpcUrl, others, { Escrow: [devnet.addresses.Escrow] }), ({ message }: Error) => {
      const roles = [`OPERATOR_ROLE for ${laneAddress}`, `OPERATOR_ROLE for ${devnet.addresses.Batcher}`, `FACILITATOR_ROLE for ${laneAddress}`]
      assert.equal(message, `BASE_SEPOLIA: the new Escrow ${others.Escrow} cannot be used: it lacks ${roles.join(', ')}`)
      return true
    })
    await (await start(devnet.rpcUrl, devnet.addresses)).close()
  })

  it('refuses a contract of jobs without an evaluator of its own, and one in which it has no role', async () => {
    const { Commerce, JobEvaluator, Batcher } = devnet.addresses
    const others = await deployOther(devnet, 'Commerce')

    await assert.rejects(
      start(devnet.rpcUrl, others, { Commerce: [Commerce] }),
      /^Error: Commerce and JobEvaluator are replaced together: "former" of .*addresses\.json must have as many of each$/,
    )
    const roles = [`OPERATOR_ROLE for ${laneAddress}`, `OPERATOR_ROLE for ${Batcher}`]
    await assert.rejects(start(devnet.rpcUrl, others, { Commerce: [Commerce], JobEvaluator: [JobEvaluator] }), {
      message: `BASE_SEPOLIA: the new Commerce ${others.Commerce} cannot be used: it lacks ${roles.join(', ')}`,
    })
    await (await start(devnet.rpcUrl, devnet.addresses)).close()
  })

  it('refuses a SwarmValidator and a Bond that do not refer to each other', async () => {
    const { Bond, SwarmValidator } = devnet.addresses
    const others = { ...(await deployOther(devnet, 'SwarmValidator')), Bond: (await deployOther(devnet, 'Bond')).Bond }

    await assert.rejects(start(devnet.rpcUrl, others, { SwarmValidator: [SwarmValidator] }), /SwarmValidator and Bond are replaced together/)
    await assert.rejects(start(devnet.rpcUrl, others, { SwarmValidator: [SwarmValidator], Bond: [Bond] }), ({ message }: Error) => {
      assert.match(message, new RegExp(`the new Bond ${others.Bond} cannot be used: it lacks the pool of slashed money ${others.SwarmValidator}, `))
      return true
    })
    await (await start(devnet.rpcUrl, devnet.addresses)).close()
  })

  it('refuses to replace a contract whose records cannot be on two', async () => {
    const only = 'only SwarmValidator, Bond, Escrow, Commerce, JobEvaluator, EnsRegistry, DomainResolver, DomainRegistry'
    for (const name of ['Card', 'ReputationAdapter'] as const) {
      const others = await deployOther(devnet, name)

      await assert.rejects(start(devnet.rpcUrl, others, { [name]: [devnet.addresses[name]] }), ({ message }: Error) => {
        assert.ok(message.endsWith(`cannot be used: former: ${name} cannot be replaced, ${only}`), message)
        return true
      })
    }
  })

  it('starts on the same ones, however their addresses are written', async () => {
    const lower = Object.fromEntries(Object.entries(devnet.addresses).map(([name, address]) => [name, address.toLowerCase()]))

    const platform = await start(devnet.rpcUrl, lower as unknown as Addresses)

    await platform.close()
  })

  it('accepts the new ones of a devnet that was reset, and then no others', async () => {
    const fresh = await testDevnet(chain)
    const others = await deployOther(fresh, 'Card')
    try {
      const platform = await start(fresh.rpcUrl, others)
      const { networks } = await platform.service('chain-relayer').platform.peers.call('chain-relayer', chainRelayerApi.internal.chainNetworks)
      await platform.close()

      assert.equal(networks[0]!.contracts.card, others.Card)
      await assert.rejects(start(fresh.rpcUrl, fresh.addresses), /belongs to other contracts/)
    } finally {
      await fresh.close()
    }
  })
})
