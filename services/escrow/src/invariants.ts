import { type Chain, chainRelayerApi, chains, limits } from '@carapace/api'
import { accountFaults, type CheckedRecords, type Checks } from '@carapace/service'
import { sum } from './amounts.ts'
import { missingStakes } from './bond/audit/missing-stakes.ts'
import { type Bond, lockedOf } from './bond/bond.ts'
import { staked, stakedOn } from './bond/statistics.ts'
import { contractOf } from './escrow/bound-contract.ts'
import { account, poolSurplus } from './ledger.ts'
import { accountFaultsIn, faultsIn } from './pages.ts'
import type { Parts } from './parts.ts'

const stuckAfterMs = 15 * 60_000
/** Bonds with a command under way, by their index. */
const isMoving = { 'moves.id': { $gt: '' } }

/** The invariants of behaviour 18 that the escrow can judge by its own books; each names what breaks it. */
export const checks: Checks<Parts> = {
  ledger: ({ ledger }, extent) => (extent === 'whole' ? ledger.audit() : ledger.auditNews()),

  /** The account of a gig holds its budget from the reservation to the settlement, and nothing else ever. */
  escrow_accounts: async ({ escrows, ledger }) =>
    accountFaults(ledger, 'escrow', await escrows.find({ status: { $in: ['funding', 'locked', 'disputed', 'releasing', 'refunding'] } })),

  settlements: ({ checked }, extent) =>
    faultsIn(checked.released, extent, ({ id, status, amount, settlement }) => {
      if (status !== 'released') return []
      const { fee, treasury, external, paidTo } = settlement!
      return [
        ...(fee + treasury + external === amount ? [] : [`escrow ${id} paid ${fee} + ${treasury} + ${external} of ${amount}`]),
        ...(paidTo ? [`escrow ${id} paid ${paidTo}, which is not its payee`] : []),
      ]
    }),

  total_locked: async ({ tvl, ledger }) => {
    const { total, chains: locked } = await tvl.locked()
    const accounts = await ledger.open('escrow:')
    const faults = chains.flatMap(chain => {
      const booked = sum(accounts.on(chain).values())
      return locked[chain] === booked ? [] : [`the control row says ${locked[chain]} on ${chain}, the accounts ${booked}`]
    })
    return [
      ...faults,
      ...(total === sum(Object.values(locked)) ? [] : [`the control row says ${total}, its networks ${sum(Object.values(locked))}`]),
      ...(total > limits.escrow.tvlMicro ? [`${total} is above the cap`] : []),
    ]
  },

  bonds: ({ checked, ledger }, extent) =>
    accountFaultsIn(checked.bonds, extent, ledger, {
      accountsOf: ({ id }) => [account.bondFree(id), account.bondLocked(id)],
      faults: (bond, balance) => {
        const [free, locked] = [balance(account.bondFree(bond.id)), balance(account.bondLocked(bond.id))]
        return free === bond.free && locked === lockedOf(bond)
          ? []
          : [`bond ${bond.id} says ${bond.free} + ${lockedOf(bond)}, the ledger ${free} + ${locked}`]
      },
    }),

  rewards: ({ checked, ledger }, extent) =>
    accountFaultsIn(checked.rewards, extent, ledger, {
      accountsOf: ({ id, shares }) => shares.map(({ validatorId }) => account.reward(id, validatorId)),
      faults: ({ id, shares }, balance) =>
        shares.flatMap(({ validatorId, accrued, funded, claiming, claimed }) => {
          const booked = balance(account.reward(id, validatorId))
          const isRight = booked === funded - claiming - claimed && claiming >= 0n && booked >= 0n && funded <= accrued
          return isRight ? [] : [`reward ${id} of ${validatorId}: funded ${funded}, claiming ${claiming}, claimed ${claimed}, account ${booked}`]
        }),
    }),

  /** Rewards are funded with no more than the fee that they come from. */
  reward_fees: async ({ checked, rewardSources }, extent) => {
    const faults = new Set<string>()
    for await (const page of checked.paidRewards.pages(extent)) {
      const sources = await rewardSources.many(page.map(({ gigId, jobId }) => (gigId ?? jobId)!))
      for (const { id, gigId, jobId, fundedBy } of page) {
        const source = sources.get((gigId ?? jobId)!)
        const isWrong = source?.kind === 'fee' && fundedBy.fee > source.fee
        checked.paidRewards.note(id, isWrong)
        if (isWrong) faults.add(`rewards of ${id} took ${fundedBy.fee} of a fee of ${source.fee}`)
      }
    }
    return [...faults]
  },

  /** Money in transit belongs to commands under way. */
  transit: async ({ ledger, bonds, claims }) => {
    const booked = (await ledger.open('transit:')).all()
    const expected = new Map<string, bigint>()
    for (const { moves } of await bonds.find(isMoving))
      for (const { id, type, amount } of moves) if (type !== 'DEPOSIT') expected.set(account.transit(id), amount)
    for (const { id, amount } of await claims.find({ status: 'claiming' })) expected.set(account.transit(id), amount)
    const names = new Set([...booked.keys(), ...expected.keys()])
    return [...names].flatMap(name => {
      const [is, should] = [booked.get(name) ?? 0n, expected.get(name) ?? 0n]
      return is === should ? [] : [`${name} holds ${is}, commands under way ${should}`]
    })
  },

  stuck: async ({ escrows, bonds, claims, clock }) => {
    const before = new Date(clock.now().getTime() - stuckAfterMs)
    const found = await escrows.find({
      status: { $in: ['funding', 'releasing', 'refunding'] },
      // where escrows that were stored earlier have it, too
      $or: [{ updatedAt: { $lt: before } }, { 'settlement.onChain.error': { $ne: null } }, { 'settlement.error': { $ne: null } }],
    })
    // What has failed is an operator's matter immediately, also while its next round is under way.
    const failed = found.filter(({ settlement }) => settlement?.onChain.error)
    const waiting = found.filter(({ settlement }) => !settlement?.onChain.error)
    const unlocking = await bonds.find({ 'locks.stage': 'unlocking' })
    const failedUnlocks = unlocking.flatMap(({ id, locks }) =>
      locks
        .filter(({ retryAt, stage, unlockOnChain }) => retryAt ?? (stage === 'unlocking' && unlockOnChain && unlockOnChain.round > 1))
        .map(({ gigId }) => ({ id, gigId })),
    )
    const moving = await bonds.find({ ...isMoving, updatedAt: { $lt: before } })
    const unpaid = await claims.find({ status: 'claiming', updatedAt: { $lt: before } })
    return [
      ...waiting.map(({ id, status }) => `escrow ${id} is ${status} for more than 15 minutes`),
      ...failed.map(({ id, settlement }) => `the settlement of ${id} failed: ${settlement?.onChain.error}`),
      ...failedUnlocks.map(({ id, gigId }) => `the unlock of ${gigId} on bond ${id} failed`),
      ...moving.map(({ id }) => `a command of bond ${id} is under way for more than 15 minutes`),
      ...unpaid.map(({ id }) => `claim ${id} is unpaid for more than 15 minutes`),
    ]
  },

  debts: async ({ ledger }) => {
    const debts = (await ledger.open('debt:')).all()
    return [...debts].map(([name, due]) => `${name}: ${due} are due after a lost payout`)
  },

  /** What each bond counts is in its contract. */
  stakes: missingStakes,

  /** What is due for certain is in the contracts. */
  contracts: async (parts, extent) => {
    const faults = extent === 'whole' ? [] : await contractFaults(parts, await parts.bonds.sums())
    // by the bonds themselves: a figure alone accuses nobody
    return extent === 'whole' || faults.length > 0 ? contractFaults(parts, await stakesIn(parts.checked.bonds)) : []
  },
}

/**
 * Money of commands under way is left out on both sides, as are fees that wait to be paid again.
 * @param stakes what the bonds of a network hold, by the name of that figure
 */
async function contractFaults({ escrows, ledger, networks, peers }: Parts, stakes: (name: string) => bigint): Promise<string[]> {
  const inEscrow = await escrows.find({ status: { $in: ['locked', 'disputed'] } })
  const unmade = await escrows.find({ status: 'releasing', 'settlement.undone': { $gt: 0 } })
  // first what the pool has given away: read the other way round, what it gives away in between would be due twice
  const promised = await ledger.open('reward:')
  const on = <T extends { chain: Chain }>(rows: readonly T[], chain: Chain) => rows.filter(row => row.chain === chain)
  const faults = await Promise.all(
    chains.map(async chain => {
      const lent = sum(on(unmade, chain).map(({ settlement }) => settlement!.fee))
      const rewards = sum(promised.on(chain).values())
      const pool = rewards + (await poolSurplus(ledger, chain, account.feePool)) - lent
      const addresses = await networks.contracts(chain)
      const [firstBond, ...furtherBonds] = await networks.everyContract(chain, 'bond')
      const [firstPool, ...furtherPools] = await networks.everyContract(chain, 'swarmValidator')
      const heldIn = new Map<string, bigint>()
      for (const escrow of on(inEscrow, chain)) {
        const contract = await contractOf({ networks }, escrow)
        heldIn.set(contract, (heldIn.get(contract) ?? 0n) + escrow.amount)
      }
      const compared = [
        ...[...heldIn].map(([wallet, due]) => ({ name: wallet === addresses.escrow ? 'escrow' : `escrow ${wallet}`, wallet, due })),
        { name: 'bond', wallet: firstBond!, due: stakes(stakedOn({ chain })) },
        { name: 'swarmValidator', wallet: firstPool!, due: pool },
        ...(await Promise.all(furtherBonds.map((contract, at) => furtherDue(ledger, { chain, contract, pool: furtherPools[at]! }, stakes)))).flat(),
      ]
      const wrong = compared.map(async ({ name, wallet, due }) => {
        const { usdc } = await peers.call('chain-relayer', chainRelayerApi.internal.chainBalance, { params: { chain, wallet } })
        return due <= BigInt(usdc) ? [] : [`${chain}: ${name} owes ${due} and holds ${usdc}`]
      })
      return (await Promise.all(wrong)).flat()
    }),
  )
  return faults.flat()
}

/** What is due from a further Bond, and from the pool that was deployed with it. */
async function furtherDue(
  ledger: Parts['ledger'],
  { chain, contract, pool }: { chain: Chain; contract: string; pool: string },
  stakes: (name: string) => bigint,
): Promise<{ name: string; wallet: string; due: bigint }[]> {
  return [
    { name: `bond ${contract}`, wallet: contract, due: stakes(stakedOn({ chain, contract })) },
    { name: `swarmValidator ${pool}`, wallet: pool, due: await poolSurplus(ledger, chain, account.slashed(contract)) },
  ]
}

/** What bonds hold on each network, by the names of their figures. */
async function stakesIn(bonds: CheckedRecords<Bond>): Promise<(name: string) => bigint> {
  const stakes = new Map<string, bigint>()
  for await (const page of bonds.pages('whole'))
    for (const bond of page) stakes.set(stakedOn(bond), (stakes.get(stakedOn(bond)) ?? 0n) + staked(bond))
  return name => stakes.get(name) ?? 0n
}
