import assert from 'node:assert/strict'
import { id } from 'ethers'
import { artifact } from '../artifact.ts'
import { isCodeOf } from '../deploy/code.ts'
import { readConfig } from '../deploy/config.ts'
import { checkDevnet, deployDevnet } from '../deploy/devnet.ts'
import { addressesOf, planDeployment } from '../deploy/plan.ts'
import { deployReal } from '../deploy/real.ts'
import { call } from '../deploy/rpc.ts'
import { type Anvil, startAnvil } from '../testing/anvil.ts'
import { people, walletOf } from '../testing/chain.ts'

const { operator, pauser, proposer } = people
const chainId = 84532
const authorities = { operator, pauser, proposers: [proposer] }

describe('Deployment', () => {
  let anvil: Anvil
  let rpcUrl: string

  beforeEach(async () => {
    anvil = await startAnvil(chainId)
    rpcUrl = anvil.rpcUrl
  })
  afterEach(() => anvil?.stop())

  const devnet = (deployer = 'deployer', chain = chainId) => deployDevnet({ ...authorities, rpcUrl, chainId: chain, deployerKey: id(deployer) })
  const real = (chain = chainId) =>
    deployReal({ ...authorities, rpcUrl, chainId: chain, deployerKey: id('real deployer'), timelockDelaySeconds: 172_800, baseUrl: 'https://x' })
  const blocks = () => call<string>(rpcUrl, 'eth_blockNumber')
  const code = (address: string) => call<string>(rpcUrl, 'eth_getCode', address, 'latest')

  it('puts every contract where its plan says, with our code', async () => {
    const { addresses } = await devnet()

    for (const [name, address] of Object.entries(addresses)) assert.ok(isCodeOf(name as never, await code(address)), name)
  })

  it('gives created contracts the same addresses on both networks', () => {
    const deployer = walletOf('deployer').address
    const [base, skale] = [84532, 324705682].map(chain => addressesOf({ chainId: chain, deployer, profile: 'devnet' }))

    assert.deepEqual({ ...base, DevUSDC: '' }, { ...skale, DevUSDC: '' })
    assert.notEqual(base?.DevUSDC, skale?.DevUSDC)
  })

  it('does nothing the second time', async () => {
    const first = await devnet()
    const height = await blocks()

    assert.deepEqual(await devnet(), first)
    assert.equal(await blocks(), height)
  })

  it('is distinguished from that of another version, with the names of the contracts', async () => {
    const { addresses } = await devnet()
    const options = { ...authorities, rpcUrl, chainId, deployerKey: id('deployer') }
    await checkDevnet(options)
    await call(rpcUrl, 'anvil_setCode', addresses.Escrow, artifact('Bond').deployedBytecode)

    await assert.rejects(checkDevnet(options), new RegExp(`other code than ours at ${addresses.Escrow} \\(Escrow\\)$`))
  })

  it('finishes a deployment that was cut short', async () => {
    const deployer = walletOf('deployer')
    const { steps } = planDeployment({
      ...authorities,
      chainId,
      deployer: deployer.address,
      timelockDelaySeconds: 60,
      baseUrl: 'http://127.0.0.1:3000',
      profile: 'devnet',
    })
    for (const { nonce, gasLimit, kind, address, initCode } of steps.slice(0, 13)) {
      const target = kind === 'create' ? { data: initCode } : { to: address }
      if (kind === 'plant') await call(rpcUrl, 'anvil_setCode', address, initCode)
      await call(rpcUrl, 'eth_sendRawTransaction', await deployer.signTransaction({ type: 0, chainId, nonce, gasPrice: 0, gasLimit, ...target }))
    }
    await call(rpcUrl, 'evm_mine')
    const { addresses } = await devnet()

    assert.ok(isCodeOf('IdentityRegistry', await code(addresses.IdentityRegistry)))
    assert.ok(isCodeOf('DevUSDC', await code(addresses.DevUSDC)))
  })

  it('refuses another chain and a deployer that was used before', async () => {
    await assert.rejects(devnet('deployer', 324705682), /chain id 84532, not 324705682/)
    await call(rpcUrl, 'eth_sendTransaction', { from: walletOf('deployer').address, to: operator, gasPrice: '0x0' })
    await call(rpcUrl, 'evm_mine')
    await assert.rejects(devnet(), /other code than ours at .*Timelock/)
  })

  it('deploys to a real network, continues after an interruption and then only compares', async () => {
    await devnet()
    await call(rpcUrl, 'evm_setAutomine', true)
    const first = await real()
    assert.ok(isCodeOf('IdentityRegistry', await code(first.addresses.IdentityRegistry)))
    assert.notEqual(first.addresses.IdentityRegistry, (await devnet()).addresses.IdentityRegistry)
    const height = await blocks()

    const second = await real()

    assert.deepEqual([second.addresses, second.startBlock, await blocks()], [first.addresses, null, height])
    await call(rpcUrl, 'anvil_setCode', first.addresses.Escrow, '0x6001')
    await assert.rejects(real(), /other code than ours at .*Escrow/)
  })

  it('refuses a real network with another chain id or without USDC', async () => {
    await assert.rejects(real(324705682), /chain id 84532, not 324705682/)
    await assert.rejects(real(), /no USDC at/)
  })
})

describe('Deployment configuration', () => {
  const env = {
    RPC_URL: 'https://node.example/secret/',
    CHAIN_ID: '84532',
    DEPLOYER_KEY: id('key'),
    OPERATOR_ADDRESS: operator,
    PAUSER_ADDRESS: pauser,
    PROPOSER_ADDRESSES: `${proposer}, ${operator}`,
    PUBLIC_BASE_URL: 'https://carapace.example',
  }

  it('reads the environment and falls back to the operator and two days', () => {
    const config = readConfig(env)

    assert.deepEqual([config.chainId, config.oracle, config.facilitator, config.timelockDelaySeconds], [84532, operator, operator, 172_800])
    assert.deepEqual(config.proposers, [proposer, operator])
    assert.equal(config.rpcUrl, 'https://node.example/secret')
  })

  it('names what is missing or malformed and never shows a value', () => {
    const bad = { ...env, DEPLOYER_KEY: 'my secret', CHAIN_ID: '-1', OPERATOR_ADDRESS: undefined }

    assert.throws(() => readConfig(bad), { message: 'missing or malformed: OPERATOR_ADDRESS, CHAIN_ID, DEPLOYER_KEY' })
  })
})

describe('Compiled code', () => {
  it('is recognised with any immutables, and no other code is', () => {
    const { deployedBytecode, immutables } = artifact('Escrow')
    const from = 2 + 2 * (immutables[0]?.start ?? 0)
    const filled = `${deployedBytecode.slice(0, from)}${'ab'.repeat(32)}${deployedBytecode.slice(from + 64)}`

    assert.equal(isCodeOf('Escrow', filled), true)
    assert.equal(isCodeOf('Escrow', `0x00${filled.slice(4)}`), false)
    assert.equal(isCodeOf('Bond', filled), false)
  })

  it('fits into the size that networks allow', () => {
    for (const name of ['Escrow', 'Bond', 'Commerce', 'DomainRegistry', 'IdentityRegistry'] as const) {
      assert.ok((artifact(name).deployedBytecode.length - 2) / 2 < 24_576, name)
    }
  })
})
