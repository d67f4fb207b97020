import { type CloudEvent, Refusal, swarmApi, type ValidationRow } from '@carapace/api'
import { Retry } from '@carapace/bus'
import type { Logged } from '@carapace/formula'
import { judgedFact } from '../facts.ts'
import type { Parts } from '../parts.ts'
import { record } from '../record.ts'

/** How the money has moved by a judgement: paid after an approval, or returned after a rejection. The last word decides, not the panel's verdict. */
interface Judgement {
  verdict: 'approved' | 'rejected'
  at: string
}

/** The votes on a gig, those of an appeal too. @throws Retry while the swarm does not answer */
export async function judgeGigVotes(parts: Parts, event: CloudEvent, { gigId, ...judgement }: Judgement & { gigId: string }): Promise<void> {
  const request = parts.peers.call('swarm', swarmApi.internal.listGigValidations, { params: { gigId } })
  await judgeAll(parts, event, await rowsOf(request), judgement)
}

/** The votes of one panel of a job: another one may have judged a delivery that the chain has dropped. @throws Retry while the swarm does not answer */
export async function judgeJobVotes(
  parts: Parts,
  event: CloudEvent,
  { jobId, validationId, ...judgement }: Judgement & { jobId: string; validationId: string },
): Promise<void> {
  const request = parts.peers.call('swarm', swarmApi.internal.listJobValidations, { params: { jobId } })
  const rows = (await rowsOf(request)).filter(row => row.validationId === validationId)
  await judgeAll(parts, event, rows, judgement)
}

async function rowsOf(request: Promise<{ validations: ValidationRow[] }>): Promise<ValidationRow[]> {
  try {
    return (await request).validations
  } catch (error) {
    throw error instanceof Refusal ? new Retry('the swarm does not answer') : error
  }
}

async function judgeAll(parts: Parts, event: CloudEvent, rows: readonly ValidationRow[], { verdict, at }: Judgement): Promise<void> {
  const resolved = rows.filter(({ status, weak }) => !weak && (status === 'approved' || status === 'rejected'))
  await Promise.all(
    resolved.flatMap(({ validationId, votes }) =>
      votes.map(({ voterId, vote }) => {
        const fact = judgedFact(vote, { validationId, verdict })
        const unless = isJudgedEarlier({ voterId, validationId, at })
        return record(parts, event, voterId, fact, { at, key: `${fact.type} ${validationId}`, unless })
      }),
    ),
  )
}

/** By another event. What this one has logged already is found by its key, so that the standing is stored with it. */
const isJudgedEarlier =
  ({ voterId, validationId, at }: { voterId: string; validationId: string; at: string }) =>
  (log: readonly Logged[]): boolean =>
    log.some(
      fact => fact.type === 'vote_judged' && fact.agentId === voterId && fact.validationId === validationId && fact.at.getTime() !== Date.parse(at),
    )
