import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Chain, ChainCommand, Draft } from '@carapace/api'
import { type Command, commandOf, commands, onChainKey } from '@carapace/chain'
import { until } from '@carapace/testing'
import { z } from 'zod'
import { type Kit, startKit, wallet } from '../testing/kit.ts'

const chain: Chain = 'BASE_SEPOLIA'
const usd = (amount: number) => BigInt(Math.round(amount * 1e6))
/** As long as the schema allows, in characters of three bytes. */
const text = (length: number) => '€'.repeat(length)
const hash = `0x${'5a'.repeat(32)}`

/** The Batcher's own gas for a call. */
const batcherGas = 60_000

/** Every kind of command with arguments that cost the most, alone in a transaction. */
describe('the gas of a kind', function () {
  this.timeout(120_000)
  let kit: Kit
  const found: { kind: string; used: number; table: number }[] = []
  before(async () => {
    kit = await startKit()
    await kit.start({ batchSize: 1 })
  })
  after(() => kit.close())

  /** Carries it out, notes its gas, and returns the logs of its confirmation. */
  async function run(draft: Draft): Promise<{ event: string; args: Record<string, string> }[]> {
    await kit.send(draft)
    const ended = await until(`end of ${draft.subject}`, () => kit.of(draft.subject, 'confirmed')[0] ?? kit.of(draft.subject, 'failed')[0], 20)
    assert.ok(ended.type.includes('confirmed'), `${draft.subject}: ${ended.data.message}`)
    const tx = await until(`final ${draft.subject}`, () => kit.db.txs.findOne({ liveOps: draft.subject, state: 'FINAL' }), 20)
    const { attempts } = (await kit.db.ops.findOne({ _id: draft.subject }))!
    assert.equal(attempts, 0, `${draft.subject} needed another try`)
    const { kind, args } = draft.data as unknown as ChainCommand
    const command = commandOf(kind) as Command
    const table = typeof command.gas === 'function' ? command.gas(z.decode(command.schema, args as never) as never) : command.gas
    const around = tx.ops[0]!.batchId ? batcherGas : 0
    found.push({ kind, used: (await gasUsedBy(tx.attempts.at(-1)!.hash)) - around, table: Number(table) })
    return ended.data.logs as never
  }
  const gasUsedBy = async (txHash: string) => Number(((await kit.rpc.call('eth_getTransactionReceipt', [txHash])) as { gasUsed: string }).gasUsed)
  const funded = async (amount: bigint) => {
    const { address } = await (await kit.custody()).walletOf(randomUUID())
    await run(commands.faucetMint({ chain, requestId: randomUUID(), to: address, amount }))
    return address
  }

  it('covers identities, cards, scores and feedback', async () => {
    const agentId = randomUUID()
    const tokenId = 7n
    const registered = await run(commands.identityRegister({ chain, agentId, owner: wallet(), uri: text(500) }))
    await run(commands.cardMint({ chain, agentId, to: wallet(), tokenId }))
    await run(commands.cardUpdate({ chain, agentId, version: 1, tokenId }))
    await run(commands.gasDrip({ chain, wallet: wallet() }))
    const score = () => ({ wallet: wallet(), score: 9_999, risk: 99, bonded: true, updatedAt: 1_800_000_000, nonce: 1n })
    for (const count of [1, 50]) await run(commands.scoreSync({ chain, batchId: randomUUID(), scores: Array.from({ length: count }, score) }))
    const erc8004Id = BigInt(registered.find(log => log.event === 'Registered')!.args.agentId!)
    const tags = { tag1: text(64), tag2: text(64), endpoint: text(500), feedbackUri: text(500), feedbackHash: hash }
    await run(commands.feedbackGive({ chain, settlementId: randomUUID(), erc8004Id, value: -1_000_000, valueDecimals: 18, ...tags }))
  })

  it('covers escrow and bonds', async () => {
    const poster = await funded(usd(500))
    const gig = { chain, gigId: randomUUID(), poster }
    const amount = usd(100)
    const source = { kind: 'custodial' as const, from: poster }
    await run(commands.escrowLock({ ...gig, payee: `0x${'0'.repeat(40)}`, amount, source }))
    await run(commands.escrowPayee({ ...gig, assigneeId: randomUUID(), payee: wallet(), amount }))
    await run(commands.escrowApprove(gig))
    await run(commands.escrowDispute(gig))
    await run(commands.escrowSettle({ ...gig, outcome: { kind: 'release', fee: usd(5), splitTo: wallet(), splitAmount: usd(20) } }))
    const event = () => ({ chain, bondEventId: randomUUID(), agent: poster })
    await run(commands.bondDeposit({ ...event(), amount: usd(300), source }))
    const gigId = randomUUID()
    await run(commands.bondLock({ ...event(), gigId, amount: usd(50) }))
    const slash = { ...event(), gigId, amount: usd(80), reasonHash: hash }
    await run(commands.bondSlash(slash))
    await run(commands.bondUnslash({ ...event(), slashId: slash.bondEventId, amount: usd(80) }))
    const other = randomUUID()
    await run(commands.bondLock({ ...event(), gigId: other, amount: usd(10) }))
    await run(commands.bondUnlock({ ...event(), gigId: other }))
    await run(commands.bondWithdraw({ ...event(), to: wallet(), amount: usd(10) }))
    await run(commands.rewardPay({ chain, claimId: randomUUID(), to: wallet(), amount: usd(1) }))
  })

  it('covers validations', async () => {
    const candidates = Array.from({ length: 15 }, wallet)
    const validation = { chain, validationId: randomUUID(), validationRound: 1 }
    await run(commands.swarmOpen({ ...validation, candidates, parties: Array.from({ length: 20 }, wallet), threshold: 1 }))
    await run(commands.swarmReplace({ ...validation, out: candidates[1]!, in: wallet() }))
    await run(commands.swarmVote({ ...validation, voter: candidates[0]!, approve: true }))
  })

  it('covers commerce, payments and domains', async () => {
    const client = await funded(usd(100))
    const budget = usd(60)
    const source = { kind: 'custodial' as const, from: client }
    const onChain = async (description: string) => {
      const jobId = randomUUID()
      const expiredAt = Math.floor(Date.now() / 1_000) + 40 * 86_400
      const logs = await run(commands.jobCreate({ chain, jobId, client, budget, expiredAt, description }))
      assert.ok(logs.some(log => log.event === 'JobCreated'))
      return { chain, jobId, jobKey: onChainKey(jobId) }
    }
    await onChain('')
    const job = await onChain(text(500))
    await run(commands.jobFund({ ...job, client, amount: budget, source }))
    await run(commands.jobAssign({ ...job, provider: wallet() }))
    await run(commands.jobSubmit({ ...job, deliverableHash: hash }))
    await run(commands.jobDispute({ ...job, disputer: client }))
    await run(commands.jobSettle({ ...job, outcome: 'complete', reason: hash }))
    await run(commands.treasuryPay({ chain, paymentId: randomUUID(), from: client, to: wallet(), amount: usd(1) }))
    await run(commands.faucetGas({ chain, requestId: randomUUID(), to: wallet(), wei: 1n }))

    const domain = { chain, domainId: randomUUID(), fullDomain: `${'a'.repeat(32)}.agent` }
    const owner = wallet()
    const to = wallet()
    const texts = Array.from({ length: 8 }, (_, index) => ({ key: `${text(63)}${index}`, value: text(500) }))
    await run(commands.domainMint({ ...domain, owner, n: 1, texts, sale: null }))
    await run(commands.domainMint({ chain, domainId: randomUUID(), fullDomain: 'plain.molt', owner, n: 1, texts: [], sale: null }))
    const buyer = await funded(usd(10))
    const sale = { price: usd(8), source: { kind: 'custodial' as const, from: buyer } }
    await run(commands.domainMint({ chain, domainId: randomUUID(), fullDomain: 'bought.agent', owner: buyer, n: 1, texts: [], sale }))
    await run(commands.domainTransfer({ ...domain, from: owner, to, n: 2 }))
    await run(commands.domainBurn({ ...domain, n: 3 }))
  })

  it('is never below what the calls have used', () => {
    const short = found.filter(({ used, table }) => used > table)
    assert.deepEqual(short, [])
    // A far too high figure would exclude operations from a batch that has room for them.
    assert.deepEqual(
      found.filter(({ used, table }) => table > 3 * used),
      [],
    )
  })
})
