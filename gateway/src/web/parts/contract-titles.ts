import type { Network } from '@carapace/api'

type Name = keyof Network['contracts']

/** The contracts of a network as people call them. */
export const contractTitles: Readonly<Record<Name, string>> = {
  usdc: 'USDC',
  escrow: 'Escrow',
  bond: 'Bonds',
  swarmValidator: 'Swarm of validators',
  commerce: 'Jobs (ERC-8183)',
  jobEvaluator: 'Evaluator of jobs',
  identityRegistry: 'Identities (ERC-8004)',
  reputationRegistry: 'Feedback (ERC-8004)',
  validationRegistry: 'Validations (ERC-8004)',
  card: 'Cards of agents',
  reputationAdapter: 'Scores for other contracts',
  domains: 'Names',
  domainResolver: 'Resolver of names',
  ensRegistry: 'ENS registry',
  timelock: 'Timelock',
}

/** The contracts in the order of the table, with their addresses; those that a network does not have are left out. */
export const contractsOf = ({ contracts }: Network): readonly (readonly [name: Name, address: string])[] =>
  (Object.keys(contractTitles) as Name[]).flatMap(name => {
    const address = contracts[name]
    return typeof address === 'string' ? [[name, address] as const] : []
  })
