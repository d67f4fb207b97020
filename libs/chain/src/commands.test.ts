import assert from 'node:assert/strict'
import { contractInterface } from './abi.ts'
import type { FundingSource } from './authorization.ts'
import { commandTable } from './commands.ts'
import { type ContractName, contractNames } from './contract-names.ts'
import { revertClass } from './revert.ts'

const errorsOf = (contract: ContractName): string[] => {
  const names: string[] = []
  contractInterface(contract).forEachError(({ name }) => names.push(name))
  return names
}
const allErrors = new Set(contractNames.flatMap(errorsOf))
const table = Object.values(commandTable)

describe('the table of commands', () => {
  it('names kinds of the same effect from both sides, with the same key arguments', () => {
    const byKind = new Map(table.map(command => [command.kind as string, command]))
    for (const { kind, key, sameEffect = [] } of table) {
      for (const other of sameEffect) {
        assert.deepEqual([...byKind.get(other)!.key], [...key], `${kind} and ${other}`)
        assert.ok(byKind.get(other)!.sameEffect?.includes(kind), `${other} does not name ${kind}`)
      }
    }
  })

  it('names reverts that contracts have: custom errors by name, the token and the registries by their text', () => {
    const unknown = table.flatMap(({ kind, finalReverts }) =>
      finalReverts.filter(reason => !allErrors.has(reason) && !/^[A-Za-z0-9]+: |^[a-zA-Z-]+ .*/.test(reason)).map(reason => `${kind}: ${reason}`),
    )
    assert.deepEqual(unknown, [])
  })

  it('classes every custom error of every contract: what is not declared final may be a missing effect, and is tried again', () => {
    for (const { kind, finalReverts } of table) {
      for (const name of allErrors) {
        const found = revertClass({ name, args: [] }, finalReverts)
        assert.equal(found === 'final', finalReverts.includes(name), `${kind}: ${name}`)
      }
      assert.equal(revertClass({ name: 'Error', args: ['ERC20: transfer amount exceeds balance'] }, finalReverts), 'missing')
    }
  })

  it('never counts as final what a missing effect explains', () => {
    const away = {
      'escrow.settle': ['Escrow_WrongStatus', 'Escrow_NoPayee'],
      // refunds of other gigs may be away
      'escrow.lock': ['Escrow_TvlCapReached'],
      'escrow.lock-x402': ['Escrow_TvlCapReached'],
      'escrow.payee': ['Escrow_WrongStatus', 'Escrow_TvlCapReached'],
      'escrow.approve': ['Escrow_WrongStatus', 'Escrow_NoPayee'],
      'escrow.dispute': ['Escrow_WrongStatus'],
      'escrow.accept': ['Escrow_WrongStatus', 'Escrow_TvlCapReached'],
      'bond.withdraw': ['Bond_InsufficientFree'],
      'bond.lock': ['Bond_InsufficientFree', 'Bond_AlreadyLocked'],
      'bond.unlock': ['Bond_NotLocked'],
      'bond.slash': ['Bond_InsufficientBond', 'Bond_NotLocked'],
      'bond.unslash': ['Bond_NothingToReverse'],
      'swarm.vote': ['Swarm_UnknownValidation', 'Swarm_NotCandidate'],
      'swarm.replace': ['Swarm_UnknownValidation', 'Swarm_NotCandidate'],
      'job.fund': ['InvalidJob'],
      'job.assign': ['InvalidJob', 'ZeroBudget', 'WrongStatus'],
      'job.submit': ['InvalidJob', 'WrongStatus'],
      'job.settle': ['InvalidJob', 'WrongStatus', 'Unauthorized'],
      'job.dispute': ['InvalidJob', 'Commerce_NotParty'],
      'card.mint': ['Card_OnePerWallet'],
      'card.update': ['ERC721NonexistentToken'],
      'domain.mint': ['Domain_Taken'],
      'domain.transfer': ['ERC721NonexistentToken', 'ERC721IncorrectOwner'],
      'domain.burn': ['ERC721NonexistentToken'],
      'feedback.give': ['ERC721NonexistentToken'],
    }
    for (const [kind, names] of Object.entries(away)) {
      const command = table.find(one => one.kind === kind)!
      for (const name of names) assert.equal(revertClass({ name, args: [] }, command.finalReverts), 'missing', `${kind}: ${name}`)
    }
  })

  it('counts a payment of a job as its effect unless the client has made it in the place of a custodial wallet', () => {
    const [client, custodial, former] = ['1', '2', '3'].map(digit => `0x${digit.repeat(40)}`) as [string, string, string]
    const amount = 20_000_000n
    const isOurs = (source: FundingSource, payer: string, paid = amount, of = client) => {
      const job = { jobId: '0190a5d0-0000-7000-8000-000000000001', jobKey: `0x${'0'.repeat(64)}` }
      return commandTable.jobFund.effect!({ ...job, client: of, amount, source }).isOurs([{ payer, amount: paid }])
    }
    const signed = { validAfter: 0n, validBefore: 1n, signature: '0x' }
    const wallet: FundingSource = { kind: 'custodial', from: custodial }
    const ofClient: FundingSource[] = [
      { kind: 'allowance' },
      { kind: 'permit', value: amount, deadline: 1n, signature: '0x' },
      { kind: 'authorization', from: client, ...signed },
    ]

    // by an earlier round from another wallet: the contract accepts that from the platform alone
    for (const payer of [custodial, former])
      for (const source of [wallet, ...ofClient]) assert.ok(isOurs(source, payer), `${source.kind} of ${payer}`)
    for (const source of ofClient) assert.ok(isOurs(source, client), source.kind)
    assert.equal(isOurs(wallet, client), false)
    assert.ok(isOurs(wallet, custodial, amount, custodial))
    for (const source of [wallet, ...ofClient]) for (const payer of [client, custodial]) assert.equal(isOurs(source, payer, 10_000n), false)
  })

  it('counts a batch of scores as done by its own nonce alone', () => {
    const score = { wallet: `0x${'1'.repeat(40)}`, score: 1500, risk: 0, bonded: false, updatedAt: 1, nonce: 7n }
    const { isOurs } = commandTable.scoreSync.effect!({ chain: 'BASE_SEPOLIA', batchId: 'b1', scores: [score] })

    const found = [6n, 7n, 8n].map(nonce => isOurs([{ ...score, nonce }]))

    assert.deepEqual(found, [false, true, false])
  })

  it('counts an assignment or a delivery of a job as its effect only where the contract shows that it was made', () => {
    const [provider, other] = ['1', '2'].map(digit => `0x${digit.repeat(40)}`) as [string, string]
    const statuses = ['Open', 'Funded', 'Submitted', 'Completed', 'Rejected', 'Expired']
    const job = { jobId: '0190a5d0-0000-7000-8000-000000000001', jobKey: `0x${'0'.repeat(64)}` }
    const assignment = commandTable.jobAssign.effect!({ ...job, provider })
    const delivery = commandTable.jobSubmit.effect!({ ...job, deliverableHash: job.jobKey })
    const shownIn = ({ isOurs }: typeof assignment, by = provider) =>
      statuses.filter((_, status) => isOurs([{ status: BigInt(status), provider: by }]))

    // the client may name a provider and end the open job: then it is rejected, or expired, and nobody was assigned
    assert.deepEqual(shownIn(assignment), ['Funded', 'Submitted', 'Completed'])
    assert.deepEqual(shownIn(assignment, other), [])
    assert.deepEqual(shownIn(delivery), ['Submitted', 'Completed'])
  })

  it('needs kinds that exist', () => {
    const kinds = new Set<string>(table.map(({ kind }) => kind))
    for (const { kind, needs } of table) {
      const found = (needs as (args: object) => readonly { kind: string }[])({ gigId: 'g', slashId: 's', validationRound: 1 })
      for (const need of found) assert.ok(kinds.has(need.kind), `${kind} needs ${need.kind}`)
    }
  })
})
