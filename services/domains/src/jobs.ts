import { dueBy, eachDue, examination, type Job } from '@carapace/service'
import { requestMs } from './domain/domain.ts'
import { drawOnTreasury } from './domain/reserve-name.ts'
import { domainStates } from './domain/states.ts'
import { checks } from './invariants.ts'
import type { Parts } from './parts.ts'

const everyMs = 10_000
const batch = 100

/** Transitions by time alone. */
export const jobs = (parts: Parts): Job[] => {
  const { domains, log } = parts
  const due = (status: string, before: Date) => domains.find({ status, dueAt: { $lte: before } }, { sort: { dueAt: 1 }, limit: batch })
  return [
    {
      name: 'names that wait for treasury',
      everyMs,
      due: dueBy(domains, 'dueAt', { filter: { status: 'funding' }, afterMs: requestMs }),
      run: async now => eachDue(log, await due('funding', new Date(now.getTime() - requestMs)), ({ id }) => drawOnTreasury(parts, id)),
    },
    {
      name: 'deleted names that are free again',
      everyMs,
      due: dueBy(domains, 'dueAt', { filter: { status: 'released' } }),
      run: async now =>
        eachDue(log, await due('released', now), ({ id }) =>
          domains.change(id, domain => {
            const { dueAt, ...rest } = domain
            if (domain.status !== 'released' || dueAt === undefined || dueAt > now) return undefined
            return { state: { ...rest, status: domainStates.move(domain.status, 'expireRest'), ownerWallet: null, agentId: null }, events: [] }
          }),
        ),
    },
    ...examination(parts, checks, new Set()),
  ]
}
