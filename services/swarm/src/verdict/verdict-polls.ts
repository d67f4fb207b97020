import { escrowApi } from '@carapace/api'
import { type Job, peerPolls } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import type { Validation } from '../validation/validation.ts'
import { closeVerdict, endEvents } from './verdict.ts'

/** The escrow pays by a verdict: it is reported until the escrow has answered. */
export const verdictPolls = (parts: Parts): Job =>
  peerPolls<Validation>(parts, {
    name: 'verdicts that the escrow has not confirmed',
    records: parts.validations,
    filter: { isVerdictOpen: true },
    since: 'updatedAt',
    poll: validation => report(parts, validation),
  })

async function report({ peers, validations }: Parts, validation: Stored<Validation>): Promise<void> {
  const events = endEvents(validation).map(({ type, data }) => ({ type, data }))
  await peers.call('escrow', escrowApi.internal.noteVerdict, { body: { events } })
  await validations.change(validation.id, closeVerdict)
}
