import type { Draft } from '@carapace/api'
import { commands, contractField, type FundingSource } from '@carapace/chain'
import { id as keccakOfText } from 'ethers'
import { deadline } from '../escrow/commands.ts'
import type { Bond, BondLock, Move } from './bond.ts'

const target = ({ wallet: agent, chain, contract }: Bond, bondEventId: string) => ({
  ...{ bondEventId, agent, chain },
  ...contractField(contract),
})

/** Stakes from its source. */
export const depositCommand = (bond: Bond, { id, amount }: Move, source: FundingSource): Draft =>
  commands.bondDeposit({ ...target(bond, id), amount, source, deadline: deadline() })

/** Pays free stake out. */
export const withdrawCommand = (bond: Bond, { id, amount, address }: Move): Draft =>
  commands.bondWithdraw({ ...target(bond, id), to: address, amount, deadline: deadline() })

/** Locks stake for a gig. */
export const lockCommand = (bond: Bond, { lockId, gigId, amount }: BondLock): Draft => commands.bondLock({ ...target(bond, lockId), gigId, amount })

/** Frees the stake of a gig. */
export const unlockCommand = (bond: Bond, { gigId, unlockId, round }: { gigId: string; unlockId: string; round?: number }): Draft =>
  commands.bondUnlock({ ...target(bond, unlockId), gigId, ...(round === undefined ? {} : { round }) })

/** Moves stake into the fee pool. */
export const slashCommand = (bond: Bond, { id, gigId, amount, reason }: Move): Draft =>
  commands.bondSlash({ ...target(bond, id), gigId, amount, reasonHash: keccakOfText(reason ?? '') })

/** Pays a slash back out of the fee pool. */
export const unslashCommand = (bond: Bond, { id, slashId, amount }: Move): Draft =>
  commands.bondUnslash({ ...target(bond, id), slashId: slashId!, amount })
