import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { onChainKey } from '@carapace/chain'
import { type Player, until } from '@carapace/testing'
import { Wallet } from 'ethers'
import { existingKey } from '../keys.ts'
import { temporaryDataDir } from '../testing/child.ts'
import { commerceJobOf, newCommerceJob } from '../testing/commerce-job.ts'
import { type FundingPoint, fundingPointVariable } from '../testing/funding-crash-points.ts'
import { micro } from '../testing/job.ts'
import { fundWithGas, signedCall } from '../testing/reorganise.ts'
import { authorizationOf, permitOf } from '../testing/signed-money.ts'
import { startEmbeddedSystem } from '../torture/embedded.ts'

const chain = 'BASE_SEPOLIA'
/** Whole USDC that every payer has at the beginning, and what things cost. */
const [held, budget, price] = [30, 20, 5]

type Thing = 'job' | 'name'
const sources = ['allowance', 'permit', 'authorization', 'treasury'] as const
type Source = (typeof sources)[number]

const fromWallet: Readonly<Record<Thing, readonly FundingPoint[]>> = {
  job: ['after its funding was ordered', 'after it was funded'],
  name: ['after its mint was ordered', 'after it was registered'],
}
const fromTreasury: Readonly<Record<Thing, readonly FundingPoint[]>> = {
  job: ['after the job was reserved', 'after its money was set aside', ...fromWallet.job, 'after its money was spent'],
  name: ['after the name was reserved', 'after its money was set aside', ...fromWallet.name, 'after its money was spent'],
}
/** Where the contract refuses it for good. */
const givenBack: Readonly<Record<Thing, readonly FundingPoint[]>> = {
  job: ['after its funding had failed', 'after its money was given back'],
  name: ['after the name was free again', 'after its money was given back'],
}
const things = ['job', 'name'] as const
const pointsOf = (thing: Thing, source: Source) => (source === 'treasury' ? fromTreasury : fromWallet)[thing]

interface Payer {
  player: Player
  /** µ that it could spend now, on the chain and, of a treasury, in its books. */
  funds(): Promise<bigint[]>
}

/** What is paid for, by requests under one key. */
interface Order {
  send(): Promise<unknown>
  isMade(): Promise<boolean>
  isFree(): Promise<boolean>
}

describe('a start that is killed while a job is funded or a name is paid for', function () {
  this.timeout(300_000)
  let subject: Awaited<ReturnType<typeof startEmbeddedSystem>>
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>

  before(async () => {
    folder = await temporaryDataDir()
    await mkdir(dataDir())
    const preload = new URL('../testing/funding-crash-points.js', import.meta.url).href
    const variables = { NODE_OPTIONS: `--import=${preload}`, [fundingPointVariable]: pointFile() }
    subject = await startEmbeddedSystem({ variables, dataDir: dataDir() })
    await subject.serves()
  })
  after(async () => {
    await subject?.end()
    await folder?.remove()
  })

  const pointFile = () => path.join(folder.path, 'point')
  const dataDir = () => path.join(folder.path, 'data')
  const walletOf = ({ wallet }: Player) => ({ 'x-wallet-address': wallet.address })

  const newPayer = async (source: Source): Promise<Payer> => {
    const { system } = subject
    const player = await system.newPlayer({ chain, ...(source === 'allowance' ? { usdc: held } : {}) })
    const onChain = async () => [await system.usdcOf(chain, player.wallet.address)]
    if (source === 'permit' || source === 'authorization') await system.faucet(player.wallet.address, held, chain)
    if (source !== 'treasury') return { player, funds: onChain }
    const { depositAddress } = await system.post(`/api/agents/${player.id}/treasury/fund`, {}, player.headers)
    await system.faucet(depositAddress, held, chain)
    const funds = async () => {
      const { body } = await system.call('GET', `/api/agents/${player.id}/treasury/balance`, { headers: player.headers })
      return [await system.usdcOf(chain, depositAddress), BigInt(body.balance)]
    }
    await until('the deposit is credited', async () => (await funds()).every(amount => amount === micro(held)))
    return { player, funds }
  }

  /** What a body carries that pays from a wallet by a signature. */
  const signed = async (player: Player, source: Source, payee: { contract: string; value: bigint; nonce: () => Promise<string> }) => {
    const { contract, value, nonce } = payee
    if (source === 'permit') return { authorization: await permitOf(subject.system, chain, player, { spender: contract, value }) }
    if (source !== 'authorization') return {}
    return { authorization: await authorizationOf(subject.system, chain, player, { to: contract, value, nonce: await nonce() }) }
  }
  const sender = (url: string, player: Player, body: object) => {
    const headers = { ...walletOf(player), 'idempotency-key': randomUUID() }
    return () => subject.system.call('POST', url, { body, headers }).catch(() => undefined)
  }

  const orders: Readonly<Record<Thing, (player: Player, source: Source) => Promise<Order>>> = {
    job: async (player, source) => {
      const { system } = subject
      const { jobId } = await newCommerceJob(system, { poster: player, budget })
      const { commerce } = system.networks[chain].contracts
      const body = await signed(player, source, { contract: commerce, value: micro(budget), nonce: async () => onChainKey(jobId) })
      const is = async (status: string) => {
        const job = await commerceJobOf(system, jobId)
        return job.status === status && job.onChain.status === 'confirmed'
      }
      return { send: sender(`/api/erc8183/jobs/${jobId}/fund`, player, body), isMade: () => is('funded'), isFree: () => is('open') }
    },
    name: async (player, source) => {
      const { system } = subject
      const name = `crash-${randomBytes(5).toString('hex')}`
      const wanted = { name, tld: '.agent', pricePaid: price }
      const url = '/api/domains/register'
      const nonce = async () => (await system.call('POST', url, { body: wanted, headers: walletOf(player) })).body.details.options.nonce
      const contract = system.networks[chain].contracts.domains
      const body = { ...wanted, ...(await signed(player, source, { contract, value: micro(price), nonce })) }
      const isMade = async () => {
        const found = await system.call('GET', `/api/domains/${name}.agent`)
        return found.body.owner === player.wallet.address && found.body.record.onChain.status === 'confirmed'
      }
      const isFree = async () => (await system.post('/api/domains/check', { name, tld: '.agent' })).available
      return { send: sender(url, player, body), isMade, isFree }
    },
  }

  /** @returns once another process serves */
  const killedAt = async (point: FundingPoint, meanwhile: () => Promise<unknown>) => {
    const before = subject.pid()
    await writeFile(pointFile(), point)
    const isKilled = async () => {
      await meanwhile()
      return !existsSync(pointFile())
    }
    await until('a process comes to that point', isKilled, 120)
    await until('another one is started', async () => subject.pid() !== undefined && subject.pid() !== before, 60)
    await subject.serves()
  }
  const fundsAre = (payer: Payer, usd: number, point: FundingPoint) =>
    until(
      `the payer has ${usd} USDC, killed ${point}`,
      async () => {
        const funds = await payer.funds()
        if (funds.some(amount => amount !== micro(usd))) throw new Error(`it has ${funds}`)
        return true
      },
      90,
    )

  for (const thing of things)
    for (const source of sources)
      for (const point of pointsOf(thing, source))
        it(`charges a ${thing} paid from ${source} once, killed ${point}`, async () => {
          const payer = await newPayer(source)
          const order = await orders[thing](payer.player, source)

          await killedAt(point, order.send)

          const isMade = async () => {
            await order.send()
            return order.isMade()
          }
          await until(`the ${thing} is paid for`, isMade, 90)
          await fundsAre(payer, held - (thing === 'job' ? budget : price), point)
        })

  for (const thing of things)
    for (const point of givenBack[thing])
      it(`gives the money of a ${thing} back that the contract refuses, killed ${point}`, async () => {
        const payer = await newPayer('treasury')
        const order = await orders[thing](payer.player, 'treasury')
        await pause(thing, true)
        let isSent = false

        await killedAt(point, async () => {
          if (!isSent) await order.send()
          isSent = true
        })

        await pause(thing, false)
        await until(`the ${thing} is free again`, order.isFree, 90)
        await fundsAre(payer, held, point)
      })

  /** A paused contract accepts no money: after the tries of the relayer the command has failed for good. */
  const pause = async (thing: Thing, isPaused: boolean) => {
    const { system } = subject
    const { commerce, domains } = system.networks[chain].contracts
    const guardian = { wallet: new Wallet((await existingKey(dataDir(), 'oracle'))!) }
    await fundWithGas(system, chain, guardian)
    const call = await signedCall(system, chain, guardian, String(thing === 'job' ? commerce : domains), isPaused ? 'pause' : 'unpause', [])
    const { hash } = await system.networks[chain].provider.broadcastTransaction(call)
    const receipt = await system.networks[chain].provider.waitForTransaction(hash)
    assert.equal(receipt?.status, 1)
  }

  it('leaves books that agree with the contracts', async () => {
    await until(
      'the doctor finds nothing',
      async () => {
        assert.deepEqual(await subject.wrong(), [])
        return true
      },
      90,
    )
  })
})
