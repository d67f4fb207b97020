import { dayMs, type PayloadOf, refuse, type rewardAccrued, usd } from '@carapace/api'
import { transact } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import { least, sum } from '../amounts.ts'
import { account, poolSurplus } from '../ledger.ts'
import type { Parts } from '../parts.ts'
import { equalShares, fund, type Reward, type Source, topUpShares, unfunded } from './reward.ts'

const windowMs = 365 * dayMs

type Accrued = Pick<PayloadOf<typeof rewardAccrued>, 'validationId' | 'gigId' | 'jobId' | 'title' | 'posterId' | 'chain' | 'rewards'>

/** Notes what the winners of a validation have earned; a second time changes nothing. */
export async function accrueRewards(parts: Parts, { validationId, gigId, jobId, title, posterId, chain, rewards }: Accrued): Promise<void> {
  const shares = rewards.map(({ validatorId, amount }) => ({ validatorId, accrued: amount, funded: 0n, claiming: 0n, claimed: 0n }))
  const fundedBy = { fee: 0n, refund: 0n, topUp: 0n }
  const reward = { id: validationId, gigId, jobId, title, posterId, chain, shares, isFunded: false, fundedBy, fundedAt: null, topUps: [] }
  const stored = await parts.rewards.createOnce(validationId, () => ({ state: reward, events: [] }))
  // what moves its money later finds the reward
  const source = await parts.rewardSources.get((gigId ?? jobId)!)
  if (source) await fundWhenReady(parts, stored, source)
}

/**
 * The rewards of a validation are funded once, when its money has moved and its winners are known, whichever comes later. Those of an appeal that decided
 * come first, also where they become known last.
 */
export async function fundWhenReady(parts: Parts, reward: Pick<Reward, 'id' | 'isFunded'>, source: Source): Promise<void> {
  const { first } = source
  if (reward.isFunded || (first && first !== reward.id && !(await parts.rewards.get(first))?.isFunded)) return
  await fundNow(parts, reward.id, source)
  if (first !== reward.id) return
  for (const { id, isFunded } of await parts.rewards.ofSubject(source.id)) if (!isFunded) await fundNow(parts, id, source)
}

async function fundNow(parts: Parts, id: string, lastRead: Source): Promise<void> {
  let isFirst = true
  const work = async (session: ClientSession) => {
    // what was read a moment ago is used only as it was: where it is not any more, all begins again
    const source = isFirst ? lastRead : ((await parts.rewardSources.get(lastRead.id, session)) ?? lastRead)
    isFirst = false
    const limit = await available(parts, source, session)
    let amounts: bigint[] | undefined
    const decide = (present: Reward) => {
      amounts = present.isFunded ? undefined : equalShares(present, limit)
      return amounts && fund(present, amounts, source.kind, parts.clock.now())
    }
    await parts.rewards.change(id, decide, { session })
    if (amounts) await parts.rewardSources.use(source, sum(amounts), session)
  }
  await alone(parts, work)
}

/** All of it comes out of the one account of the pool. */
const alone = <T>(parts: Parts, work: (session: ClientSession) => Promise<T>): Promise<T> =>
  parts.queue.serialize('fee-pool', () => transact(parts, work))

/** What may be spent on it: its own fee, or for a refund half of what the poster's paid gigs paid in fees in a year, out of what the pool has over. */
async function available(parts: Parts, source: Source, session: ClientSession): Promise<bigint> {
  const own = source.fee - source.used
  if (source.kind === 'fee') return least(own, await parts.ledger.balance(source.chain, account.feePool, session))
  const since = new Date(parts.clock.now().getTime() - windowMs)
  const { fees, usedByRefunds } = await parts.rewardSources.ofPoster(source.posterId, source.chain, since, session)
  return least(own, await poolSurplus(parts.ledger, source.chain, account.feePool, session), fees / 2n - usedByRefunds)
}

function book(
  parts: Parts,
  reward: Reward,
  amounts: readonly bigint[],
  by: 'fee' | 'refund' | 'top_up',
  session: ClientSession,
  operationId?: string,
): Promise<Reward> {
  return parts.rewards.change(reward.id, present => fund(present, amounts, by, parts.clock.now(), operationId), { session })
}

export interface TopUp {
  amount: bigint
  funded: { validatorId: string; amount: bigint }[]
}

/** Funds what is still open of a validation out of the pool, by an operator's order; the same order again changes nothing. @throws INVALID_STATE */
export async function topUp(parts: Parts, validationId: string, amount: bigint, operationId: string): Promise<TopUp> {
  return alone(parts, async session => {
    const reward = (await parts.rewards.get(validationId, session)) ?? refuse('NOT_FOUND', { resource: 'validation' })
    if (reward.topUps.includes(operationId)) return { amount: 0n, funded: [] }
    const rest = unfunded(reward)
    if (rest === 0n) refuse('INVALID_STATE', { state: 'funded', allowed: ['accrued'] }, { message: 'All rewards of this validation are funded' })
    const wanted = least(amount, rest)
    const pool = await poolSurplus(parts.ledger, reward.chain, account.feePool, session)
    if (pool < wanted) refuse('INVALID_STATE', { surplus: usd(pool) }, { message: `The pool has only ${usd(pool)} USDC over` })
    const amounts = topUpShares(reward, wanted)
    await book(parts, reward, amounts, 'top_up', session, operationId)
    const funded = reward.shares.flatMap(({ validatorId }, index) => (amounts[index]! > 0n ? [{ validatorId, amount: amounts[index]! }] : []))
    return { amount: sum(amounts), funded }
  })
}
