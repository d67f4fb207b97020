import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Draft } from '@carapace/api'
import { authorizationDigest, commands, contractInterface, domainOperationId, type FundingSource, onChainKey, permitDigest } from '@carapace/chain'
import { until } from '@carapace/testing'
import { type HDNodeWallet, Wallet } from 'ethers'
import { failPoints } from '../lane/lane.ts'
import { type Kit, startKit } from '../testing/kit.ts'
import { dead, type LaneHost, laneHost } from '../testing/lane-host.ts'
import { fundTokens } from '../testing/workload.ts'

const chain = 'BASE_SEPOLIA'
const price = 5_000_000n
const funds = 3n * price
const signatures = ['permit', 'authorization'] as const

interface Owner {
  kind: (typeof signatures)[number]
  wallet: HDNodeWallet
  jobId: string
}

describe('a payment by a signature in the body, of a lane that is killed', function () {
  // Processes are started; on a busy machine this alone needs seconds.
  this.timeout(60_000)
  let kit: Kit
  let host: LaneHost
  let owners: Owner[]
  before(async () => {
    kit = await startKit()
    await fundTokens(kit.rpc, kit.devnet.addresses)
    host = laneHost(kit, kit.place)
    owners = await newOwners(failPoints.length)
    await host.close()
  })
  after(() => kit.close())
  beforeEach(() => {
    host = laneHost(kit, kit.place)
  })
  afterEach(() => host.close())

  const read = async (contract: 'USDC' | 'Commerce' | 'DomainRegistry', fn: string, args: readonly unknown[]) => {
    const abi = contractInterface(contract)
    const answer = await kit.rpc.call('eth_call', [{ to: kit.devnet.addresses[contract], data: abi.encodeFunctionData(fn, args) }, 'latest'])
    return abi.decodeFunctionResult(fn, String(answer))[0]
  }
  const confirmed = (drafts: readonly Draft[]) =>
    until('all are confirmed', () => drafts.every(({ subject }) => kit.of(subject, 'confirmed').length > 0), 30)

  /** For each test, owners with money for three payments, and with an open job each. */
  const newOwners = async (tests: number) => {
    const made: Owner[] = Array.from({ length: tests }, () => [...signatures, ...signatures])
      .flat()
      .map(kind => ({ kind, wallet: Wallet.createRandom(), jobId: randomUUID() }))
    const expiredAt = Math.floor(Date.now() / 1_000) + 86_400
    const prepared = made.flatMap(({ wallet, jobId }) => [
      commands.faucetMint({ chain, requestId: randomUUID(), to: wallet.address, amount: funds }),
      commands.jobCreate({ jobId, chain, client: wallet.address, budget: price, description: 'a job', round: 1, expiredAt }),
    ])
    const lane = await host.start({})
    host.send(prepared)
    await confirmed(prepared)
    lane.kill('SIGTERM')
    await lane.ended
    return made
  }

  const signed = (
    kind: (typeof signatures)[number],
    { address, signingKey }: { address: string; signingKey: Wallet['signingKey'] },
    to: 'Commerce' | 'DomainRegistry',
    nonce: string,
  ): FundingSource => {
    const { USDC: verifyingContract, [to]: spender } = kit.devnet.addresses
    const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract }
    const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 3_600)
    const sign = (digest: string) => signingKey.sign(digest).serialized
    if (kind === 'permit')
      return {
        kind,
        value: price,
        deadline: validBefore,
        signature: sign(permitDigest(domain, { owner: address, spender, value: price, nonce: 0n, deadline: validBefore })),
      }
    const message = { type: 'ReceiveWithAuthorization' as const, from: address, to: spender, value: price, nonce, validAfter: 0n, validBefore }
    return { kind, from: address, validAfter: 0n, validBefore, signature: sign(authorizationDigest(domain, message)) }
  }

  for (const at of failPoints)
    it(`at "${at}" is made once, for a job and for a name`, async () => {
      const own = owners.splice(0, 2 * signatures.length)
      const deadline = new Date(Date.now() + 900_000)
      const drafts: Draft[] = []
      const names: { fullDomain: string; owner: string }[] = []
      const jobs: string[] = []
      // a wallet's permits count up: each owner signs one
      for (const [index, { kind, wallet, jobId }] of own.entries()) {
        if (index < signatures.length) {
          const jobKey = onChainKey(jobId)
          const source = signed(kind, wallet, 'Commerce', jobKey)
          drafts.push(commands.jobFund({ jobId, chain, jobKey, client: wallet.address, amount: price, source, round: 1, deadline }))
          jobs.push(jobKey)
          continue
        }
        const domainId = randomUUID()
        const fullDomain = `crash-${domainId.slice(0, 8)}.pinch`
        const source = signed(kind, wallet, 'DomainRegistry', domainOperationId(domainId, 1))
        drafts.push(commands.domainMint({ chain, domainId, n: 1, fullDomain, owner: wallet.address, texts: [], sale: { price, source }, deadline }))
        names.push({ fullDomain, owner: wallet.address })
      }
      const victim = await host.start({ die: { at, hit: 1 }, batchSize: 2 })
      host.send(drafts)
      await dead(victim)

      await host.start({ batchSize: 2 })
      host.send(drafts)

      await confirmed(drafts)
      await until('every command was handled', () => host.unhandled === 0)
      for (const { wallet } of own) assert.equal(await read('USDC', 'balanceOf', [wallet.address]), funds - price)
      for (const jobKey of jobs) assert.equal(((await read('Commerce', 'depositOf', [jobKey])) as { amount: bigint }).amount, price)
      for (const { fullDomain, owner } of names) {
        const { logs } = kit.of(drafts.find(({ data }) => JSON.stringify(data, bigints).includes(fullDomain))!.subject, 'confirmed').at(-1)!.data as {
          logs: { event: string; args: { to?: string } }[]
        }
        assert.ok(logs.some(({ event, args }) => event === 'Transfer' && args.to === owner))
      }
    })
})

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
