import assert from 'node:assert/strict'
import { newWallet } from '@carapace/testing'
import { assigneeId, delivery, followed, funded, funding, momentAt, nextHash, open, outcome, posterId, start, wallets } from '../testing/walk.ts'
import { applyStepOutcome } from './apply-step-outcome.ts'
import { reserveFunds, sendAssign, sendFund, sendSettle, sendSubmit } from './commands.ts'
import type { ContractJob } from './contract-job.ts'
import type { Job } from './job.ts'
import { mirror, regress } from './mirror.ts'
import type { Observed } from './observed.ts'
import { postings } from './postings.ts'
import type { Payment } from './with-payment.ts'

const custodial = newWallet()
const least = 10_000n
const client = (amount: bigint): Payment => ({ payer: wallets.poster, amount })
const wallet = (amount: bigint): Payment => ({ payer: custodial, amount })

const byTreasury = (job = open()): Job => {
  const reserved = reserveFunds(job, { operationId: 'o2', kind: 'treasury', from: custodial }).state
  return sendFund(reserved, { kind: 'custodial', from: custodial })!.state
}
const contractOf = (deposit: Payment | null, more: Partial<ContractJob> = {}): ContractJob => ({
  ...{ client: wallets.poster, provider: null, evaluator: wallets.poster, description: '', budget: deposit?.amount ?? 20_000_000n },
  ...{ expiredAt: open().expiredAt, status: 'Open', deposit, isDisputed: false },
  ...more,
})
const seenAs = (step: Observed['step'], contract: ContractJob): Observed => ({
  ...{ contract, posterId, assigneeId: null, isOurEvaluator: true, isWithdrawal: false, step, txHash: nextHash(), blockNumber: 9 },
  ...{ payer: step === 'fund' ? contract.deposit!.payer : null, deliverableHash: null, submissionId: 's' },
})
const follow = (job: Job, seen: Observed): Job => mirror(job, seen, momentAt(start))?.state ?? job
const logged = (job: Job, deposit: Payment): Job => follow(job, seenAs('fund', contractOf(deposit)))
const fails = (job: Job, round?: number): Job => followed(job, 'fund', 'failed', start, { terminal: true, ...(round ? { round } : {}) }).state
/** The command found a payment there, which the service then reads from the contract. */
const found = (job: Job, payment: Payment, round = job.on.fund!.onChain.round): Job =>
  followed(job, 'fund', 'confirmed', start, { already: true, payment, round }).state

/** What the ledger has after these states; no key may appear twice. */
function booked(states: readonly Job[]): [account: string, balance: bigint][] {
  const balances = new Map<string, bigint>()
  const keys = new Set<string>()
  for (const [at, state] of states.entries())
    for (const { key, lines } of postings(states[at - 1], state)) {
      assert.ok(!keys.has(key) && keys.add(key), `${key} twice`)
      for (const { account, debit, credit } of lines) balances.set(account, (balances.get(account) ?? 0n) + credit - debit)
    }
  return [...balances].filter(([, balance]) => balance !== 0n)
}
const jobHas = (job: Job, amount: bigint, source: string) => [
  [`job:${job.id}`, amount],
  [source, -amount],
]
const sorted = (entries: readonly (readonly [string, bigint])[]) => entries.toSorted(([a], [b]) => (a < b ? 1 : -1))
const paidBy = ({ funding: by }: Job) => [by?.kind, by?.from]

describe('the payment of a job', () => {
  for (const [name, requested] of [
    ['the allowance of its client', () => funding()],
    ['a custodial wallet', () => byTreasury()],
  ] as const) {
    it(`is what the client has paid after it lowered the budget while ${name} was to pay`, () => {
      const sent = requested()
      const lowered = follow(sent, seenAs('create', contractOf(client(least))))
      const paid = logged(lowered, client(least))
      const failed = fails(paid)
      const assigned = followed(sendAssign(failed, assigneeId, wallets.assignee).state, 'assign', 'confirmed').state
      const submitted = followed(sendSubmit(assigned, delivery()).state, 'submit', 'confirmed').state
      const settling = sendSettle(submitted, { outcome: 'complete', trigger: 'settle', by: 'swarm', reason: '', at: start }).state
      const { state: settled, events } = followed(settling, 'settle', 'confirmed')

      assert.deepEqual([settled.status, settled.budget, ...paidBy(settled)], ['settled', least, 'onchain', wallets.poster])
      const [event] = events as unknown as { data: { fee: string; net: string } }[]
      assert.deepEqual([BigInt(event!.data.fee), BigInt(event!.data.net)], [300n, 9_700n])
      assert.deepEqual(
        sorted(booked([sent, lowered, paid, failed, assigned, submitted, settling, settled])),
        sorted([
          [`ext:${wallets.poster}`, -least],
          [`ext:${wallets.assignee}`, 9_700n],
          [`clearing:job.settle:${settled.id}`, 300n],
        ]),
      )
    })
  }

  it('counts for nothing where the client has lowered the budget below the least one', () => {
    const paid = logged(funding(), client(least - 1n))
    assert.deepEqual([paid.status, paid.budget, paid.counts], ['funded', least - 1n, false])
  })

  it('is that of the command where the contract has its payer and amount', () => {
    const sent = byTreasury()
    const paid = logged(sent, wallet(20_000_000n))
    const confirmed = followed(paid, 'fund', 'confirmed').state

    assert.deepEqual([confirmed.status, confirmed.funding?.round, ...paidBy(confirmed)], ['funded', sent.funding!.round, 'treasury', custodial])
    assert.deepEqual(
      sorted(booked([sent, paid, confirmed])),
      sorted([...jobHas(sent, 20_000_000n, `clearing:job.fund:${sent.id}`)] as [string, bigint][]),
    )
  })

  it('is that of the client where a command for a custodial wallet found it', () => {
    const paid = found(byTreasury(), client(20_000_000n))
    assert.deepEqual([paid.status, ...paidBy(paid)], ['funded', 'onchain', wallets.poster])
  })

  it('is that of the round which was carried out after its failure while treasury is queried for the next one', () => {
    const failed = fails(funding())
    const next = reserveFunds(failed, { operationId: 'o2', kind: 'treasury', from: custodial }).state
    const late = applyStepOutcome(
      next,
      'fund',
      { ...outcome(next, 'fund', 'confirmed'), round: 1, already: true, payment: client(20_000_000n) },
      momentAt(start),
    )!.state

    assert.deepEqual([late.status, ...paidBy(late), late.funding?.operationId], ['funded', 'allowance', wallets.poster, 'o1'])
  })

  it('is that of a custodial wallet whose round was carried out after its failure while another source is to pay', () => {
    const failed = fails(byTreasury())
    const next = funding(failed)
    for (const paid of [logged(next, wallet(20_000_000n)), found(next, wallet(20_000_000n))])
      assert.deepEqual([paid.status, ...paidBy(paid)], ['funded', 'treasury', custodial])
  })

  it('is the one that a reorganisation has put into the place of another, also where the job was assigned meanwhile', () => {
    const first = followed(byTreasury(), 'fund', 'confirmed').state
    const assigned = followed(sendAssign(first, assigneeId, wallets.assignee).state, 'assign', 'confirmed').state
    for (const before of [first, assigned]) {
      const reorged = followed(before, 'fund', 'reorged').state
      const late = logged(reorged, client(least))
      const failed = fails(late)

      assert.deepEqual([failed.status, failed.budget, ...paidBy(failed)], [before.status, least, 'onchain', wallets.poster])
      assert.deepEqual(
        sorted(booked([first, before, reorged, late, failed])),
        sorted([...jobHas(first, least, `ext:${wallets.poster}`)] as [string, bigint][]),
      )
    }
  })

  it('lets no job count again that was assigned to a wallet of nobody, and its delivery can be followed', () => {
    const first = followed(byTreasury(), 'fund', 'confirmed').state
    const provider = newWallet()
    const contract = contractOf(wallet(20_000_000n), { provider, status: 'Funded' })
    const assigned = follow(first, seenAs('assign', contract))
    assert.deepEqual([assigned.status, assigned.counts, assigned.assigneeId], ['assigned', false, null])
    const replaced = contractOf(client(15_000_000n), { provider, status: 'Funded' })

    const paid = follow(assigned, seenAs('fund', replaced))

    assert.deepEqual([paid.budget, paid.counts, paid.posterId], [15_000_000n, false, assigned.posterId])
    assert.equal(
      follow(paid, { ...seenAs('submit', { ...replaced, status: 'Submitted' }), deliverableHash: `0x${'1'.repeat(64)}` }).status,
      'submitted',
    )
  })

  it('is reversed in the books when its block is dropped', () => {
    const sent = funding()
    const seen = seenAs('fund', contractOf(client(least)))
    const paid = follow(sent, seen)
    const dropped = regress(paid, seen.txHash, contractOf(null), start)!.state
    const again = fails(dropped)

    assert.deepEqual([again.status, again.funding], ['open', null])
    assert.deepEqual(booked([sent, paid, dropped, again]), [])
  })

  it('is booked once and as the contract has it, in every order of its log and the outcomes of our command', () => {
    const paid = client(least)
    const steps: Record<string, (job: Job) => Job> = {
      budget: job => follow(job, seenAs('create', contractOf(paid))),
      log: job => logged(job, paid),
      failure: job => fails(job, 1),
      again: job => logged(job, paid),
    }
    for (const order of permutations(Object.keys(steps)))
      for (const sent of [funding(), byTreasury()]) {
        const states = [sent]
        for (const name of order) states.push(steps[name]!(states.at(-1)!))
        const end = states.at(-1)!

        assert.deepEqual([end.status, end.budget], ['funded', least], order.join())
        assert.deepEqual(sorted(booked(states)), sorted([...jobHas(sent, least, `ext:${wallets.poster}`)] as [string, bigint][]), order.join())
      }
  })

  it('stays with a job that is funded and has the payment that the contract shows', () => {
    const job = funded()
    assert.equal(mirror(job, seenAs('fund', contractOf(client(20_000_000n))), momentAt(start)), undefined)
  })
})

const permutations = <T>(of: readonly T[]): T[][] =>
  of.length === 0 ? [[]] : of.flatMap((one, at) => permutations(of.toSpliced(at, 1)).map(rest => [one, ...rest]))
