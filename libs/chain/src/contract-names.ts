import { type ContractName as Artifact, contractNames as artifacts, type Replaced, replacedTogether } from '@carapace/contracts'

/** Built and deployed, and neither called by the platform nor shown to its users; the token is called by the name that it has on every network. */
const uncalled = ['DevUSDC', 'Timelock', 'Multicall3'] as const satisfies readonly Artifact[]
type Uncalled = (typeof uncalled)[number]

export type ContractName = Exclude<Artifact, Uncalled> | 'USDC'
/** The platform's contracts, by the names of their sources. USDC is the token of the network, DevUSDC's code on a devnet. */
export const contractNames: readonly ContractName[] = [
  'USDC',
  ...artifacts.filter((name): name is Exclude<Artifact, Uncalled> => !uncalled.some(other => other === name)),
]
export type Addresses = Readonly<Record<ContractName, string>>

/** Contracts that may be replaced by another deployment: each record stays on the one that it was opened on. */
export const replaceableContracts: readonly (Replaced & ContractName)[] = Object.values(replacedTogether).flat()
/** Where contracts were deployed before, oldest first. */
export type Former = Readonly<Partial<Record<ContractName, readonly string[]>>>

/** Where records of a contract may be: its former addresses, oldest first, and the present one. */
export const everyAddress = (name: ContractName, addresses: Partial<Addresses>, former: Former): string[] => [
  ...(former[name] ?? []),
  ...(addresses[name] === undefined ? [] : [addresses[name]]),
]
