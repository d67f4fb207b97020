import type { Chain, Extension } from '@carapace/api'
import type { OnChain } from '@carapace/chain'
import type { DomainState } from './states.ts'

/** One operation on a name: a command of the relayer, once it was sent. */
export interface Operation {
  kind: 'register' | 'transfer' | 'delete'
  /** Its number among all operations on this name, from 1: with the name's id, what the contract accepts once. */
  n: number
  /** Of the request, so that a repeat finds it. */
  operationId: string
  at: Date
  /** Of its command; null until that is sent. What is refused before has failed in round 0. */
  onChain: Required<OnChain> | null
  /** Owner before and after, EIP-55. */
  from: string | null
  to: string | null
  /** Agents of the two. */
  fromAgentId: string | null
  toAgentId: string | null
  /** Agents whose .molt name it was before. */
  linkedBefore: readonly string[]
  sale: Sale | null
  /** Of a registration: the first text records. */
  texts: readonly TextRecord[]
  /** Of a registration that is free by score: its place, which the name has again where the chain carries a failed one out after all. */
  freeSlot?: string
  /** Of a registration: its network. The name may have been reserved on another one since. Absent in early records until an outcome names it. */
  chain?: Chain
  /** Of a registration by the former owner while the name rests: when the rest ends. It goes on where the registration comes to nothing. */
  restUntil?: Date
}

/** What a registration costs. The contract moves the money in the transaction that mints the name. */
export interface Sale {
  /** micro-USDC */
  price: bigint
  /** x402: a payment at the intake; its id is the operation's `operationId`. */
  kind: 'authorization' | 'allowance' | 'treasury' | 'x402'
  payer: string
  /** The ledger has it as income. */
  isBooked: boolean
}

export interface TextRecord {
  key: string
  value: string
}

export interface Domain {
  id: string
  name: string
  tld: Extension
  fullDomain: string
  /** ERC-721 id on every network, decimal text. */
  tokenId: string
  chain: Chain
  /** Where the token is, or will be: never another one on this network. Absent in early records: they are in the first. */
  registry?: string
  /** Its registries on networks where it was before, by network; null: the first one there. Absent: it was on no other. */
  elsewhere?: Partial<Record<Chain, string | null>>
  status: DomainState
  /** EIP-55; while the name is reserved, of the agent that it is reserved for. */
  ownerWallet: string | null
  agentId: string | null
  /** Agents whose `moltDomain` it is, or becomes by a transfer under way; no agent is in two names. */
  linkedAgents: readonly string[]
  /**
   * `<agent>/<extension>/<place>` of a name that was free by score; no two names have the same. A registration that came to nothing has its place for a
   * day more, since the chain may carry it out after all.
   */
  freeSlot?: string
  /** Since the reservation; the order of lists. */
  registeredAt: Date
  /** Agent wallet that deleted it: until `dueAt` only this one registers it again. */
  formerOwner: string | null
  /** When time alone moves it on. */
  dueAt?: Date
  /** Newest last. */
  operations: readonly Operation[]
  /** Everything in a row that the name contains: what a search finds it by. */
  parts: readonly string[]
  /** Lists show it: follows from `status`. */
  listed: boolean
  /** `linkedAgents` where there are some, for the unique index. */
  linkKeys?: readonly string[]
}

/** A request that reserves custodial money has so long before a job carries it on. */
export const requestMs = 10_000

/** A name that belongs to somebody on chain. */
export const isOwned = ({ status }: Pick<Domain, 'status'>): boolean => status === 'active' || status === 'transferring' || status === 'burning'

/** The .molt name that its owner's agent goes by. */
export const isPrimary = ({ tld, agentId, linkedAgents }: Pick<Domain, 'tld' | 'agentId' | 'linkedAgents'>): boolean =>
  tld === '.molt' && agentId !== null && linkedAgents.includes(agentId)

export const lastOperation = ({ operations }: Pick<Domain, 'operations'>): Operation | undefined => operations.at(-1)

export const hasFailed = ({ onChain }: Operation): boolean => onChain?.status === 'failed'

/** The registration by which the present owner, or one before, got the name: not one that failed, while somebody owns it. */
export function registrationOf(domain: Pick<Domain, 'operations' | 'status'>): Operation | undefined {
  const registrations = domain.operations.filter(({ kind }) => kind === 'register')
  const made = isOwned(domain) ? registrations.findLast(one => !hasFailed(one)) : undefined
  return made ?? registrations.at(-1)
}

/** Splits a full name at its last dot; undefined where there is none. */
export function splitName(fullName: string): { name: string; extension: string } | undefined {
  const dot = fullName.lastIndexOf('.')
  return dot < 0 ? undefined : { name: fullName.slice(0, dot), extension: fullName.slice(dot) }
}

/** Every text that a name contains; a name of 32 characters has 528. */
export function partsOf(name: string): string[] {
  const parts = new Set<string>()
  for (let from = 0; from < name.length; from++) for (let to = from + 1; to <= name.length; to++) parts.add(name.slice(from, to))
  return [...parts]
}
