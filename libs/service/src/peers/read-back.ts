import type { AnyEndpoint, ResponseOf, ServiceName } from '@carapace/api'
import type { Peers } from './peers.ts'

const patienceMs = 3_000
const pollMs = 40

/**
 * Waits until the service that answers the reads has received a write of this one, so that its caller reads it immediately; at most 3 s. A service that
 * does not answer is not waited for: nobody reads there either.
 * @example await readBack(peers, 'reputation', reputationApi.internal.getSlashRow, { id }, row => row.status === 'APPLIED')
 */
export async function readBack<E extends AnyEndpoint>(
  peers: Peers,
  service: ServiceName,
  endpoint: E,
  params: Record<string, string>,
  isThere: (row: ResponseOf<E>) => boolean,
): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const answer = await peers.find(service, endpoint, { params }).then(
      row => ({ row }),
      () => undefined,
    )
    if (answer === undefined || (answer.row !== undefined && isThere(answer.row))) return
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
}
