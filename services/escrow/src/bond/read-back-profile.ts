import { identityApi } from '@carapace/api'
import { readBack } from '@carapace/service'
import type { Parts } from '../parts.ts'
import type { BondEvent } from './bond-event.ts'

/** Waits until the profile of the agent shows a bond event (at most 3 s), so that its caller reads the own write. */
export async function readBackProfile({ peers }: Pick<Parts, 'peers'>, event: Pick<BondEvent, 'agentId' | 'bondVersion'> | undefined): Promise<void> {
  if (event?.bondVersion === undefined) return
  const { agentId: id, bondVersion } = event
  await readBack(peers, 'identity', identityApi.internal.getAgentRow, { id }, shown => (shown.bondVersion ?? bondVersion) >= bondVersion)
}
