import assert from 'node:assert/strict'
import { contractInterface } from './abi.ts'
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

  it('needs kinds that exist', () => {
    const kinds = new Set<string>(table.map(({ kind }) => kind))
    for (const { kind, needs } of table) {
      const found = (needs as (args: object) => readonly { kind: string }[])({ gigId: 'g', slashId: 's', validationRound: 1 })
      for (const need of found) assert.ok(kinds.has(need.kind), `${kind} needs ${need.kind}`)
    }
  })
})
