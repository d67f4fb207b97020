import { eachDue, type Job } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { claimFunded } from './claim.ts'
import { pagesBy } from './pages-by.ts'
import { putOff, type Reward, setPayAt } from './reward.ts'

const everyMs = 60_000
const batch = 100
/** What could not be paid waits for so long, so that it hides no other. */
const againMs = 10 * everyMs

/** Funded rewards that nobody claims are paid by time. */
export function payByTime(parts: Parts): Job {
  const { rows } = parts.rewards
  // from before the time was stored; a claim under way has none either
  const nextTimeless = pagesBy(rows, 'fundedAt', batch)
  // one whose claim fails over and over is due again each time, and before all others
  const nextDue = pagesBy(rows, 'payAt', batch)
  return {
    name: 'rewards that nobody claims',
    everyMs,
    run: async now => {
      const timeless = await nextTimeless(now, { payAt: null })
      await rows.changeAll(new Map(timeless.map(({ id }) => [id, setPayAt])))
      const due = await nextDue(now)
      const validators = [...new Set(due.map(({ validatorId }) => validatorId))]
      const agents = await parts.agents.many(validators)
      await eachDue(
        parts.log,
        validators.map(id => ({ id })),
        ({ id }) => {
          const own = due.filter(({ validatorId }) => validatorId === id)
          return pay(parts, { id, wallet: agents.get(id)?.wallet }, own, new Date(now.getTime() + againMs))
        },
      )
    },
  }
}

/** What is still claimable afterwards, of a validator without a wallet for one, is put off. */
async function pay(
  parts: Parts,
  { id, wallet }: { id: string; wallet: string | null | undefined },
  due: readonly Stored<Reward>[],
  until: Date,
): Promise<void> {
  try {
    if (wallet) await claimFunded(parts, id, wallet, 'time')
  } finally {
    await parts.rewards.rows.changeAll(new Map(due.map(reward => [reward.id, present => putOff(present, until)])))
  }
}
