import { dayMs, limits, usd } from '@carapace/api'
import type { AggregateStore, Clock, Share } from '@carapace/store'
import { type Bond, lockedOf } from './bond.ts'

/** A slash counts against a bond's health for so many days. */
const healthDays = 90

/** What a contract of the network has for bonds, the first where none is named; a lock that is being made may not be there yet. */
export const stakedOn = ({ chain, contract }: Pick<Bond, 'chain' | 'contract'>): string =>
  contract === undefined ? `staked-${chain}` : `staked-${chain}-${contract}`
export const staked = ({ free, locks }: Pick<Bond, 'free' | 'locks'>): bigint =>
  free + lockedOf({ locks: locks.filter(({ stage }) => stage !== 'locking') })

/** What one bond adds to the figures of all; bonded ones by the day of their last slash too. */
export function shareOf(bond: Bond): Share {
  const { total, slashed, lastSlashAt } = bond
  const isBonded = total >= limits.bond.minMicro
  const high = total >= limits.bond.highMicro ? 1n : 0n
  const lastSlash: Record<string, bigint> = isBonded && lastSlashAt ? { [slashedOn(dayOf(lastSlashAt))]: 1n } : {}
  return { sums: { total, slashed, bonded: isBonded ? 1n : 0n, high, [stakedOn(bond)]: staked(bond), ...lastSlash } }
}

/** Figures of all bonds. */
export async function statisticsOf({ bonds, clock }: { bonds: Pick<AggregateStore<Bond>, 'sums' | 'count'>; clock: Clock }) {
  const now = clock.now()
  const healthySince = new Date(now.getTime() - healthDays * dayMs)
  const firstDay = dayOf(healthySince)
  const inFirstDay = { lastSlashAt: { $gte: healthySince, $lt: startOf(firstDay + 1) }, total: { $gte: limits.bond.minMicro } }
  const [of, slashedInFirstDay] = await Promise.all([bonds.sums(), bonds.count(inFirstDay)])
  const laterDays = Array.from({ length: dayOf(now) - firstDay }, (_, n) => Number(of(slashedOn(firstDay + 1 + n))))
  const [total, bonded] = [of('total'), of('bonded')]
  const average = bonded === 0n ? 0n : (total + bonded / 2n) / bonded
  return {
    totalBonded: usd(total),
    avgBond: usd(average),
    bondedAgents: Number(bonded),
    slashedTotal: usd(of('slashed')),
    healthyBonds: Number(bonded) - slashedInFirstDay - laterDays.reduce((sum, count) => sum + count, 0),
    highBondAgents: Number(of('high')),
  }
}

/** Days of UTC since 1970. */
const dayOf = (time: Date): number => Math.floor(time.getTime() / dayMs)
const startOf = (day: number): Date => new Date(day * dayMs)
const slashedOn = (day: number): string => `slashed on ${startOf(day).toISOString().slice(0, 10)}`
