import { WrongNetwork } from '../../chain/network.ts'
import type { LaneParts } from '../lane.ts'
import { foundNotFinal } from '../records.ts'
import { addressIn } from './network-leases.ts'

/**
 * What a key has not finished needs that key: without it nothing could be priced up, sent again with other content, or included again after a
 * reorganisation.
 * @throws WrongNetwork that names each key whose transactions or commands are stored and that this process does not have
 */
export async function needKeysOfStored({ id, retiring, db, network }: Pick<LaneParts, 'id' | 'retiring' | 'db' | 'network'>): Promise<void> {
  const { chain } = network
  const lanes = await Promise.all([
    db.txs.distinct('lane', { unfinished: true }),
    db.ops.distinct('lane', { state: 'QUEUED' }),
    db.ops.distinct('lane', foundNotFinal),
  ])
  const isUnknown = (lane: string) => lane.startsWith(`${chain}:`) && lane !== id && lane !== retiring?.id
  const unknown = [...new Set(lanes.flat())].filter(isUnknown)
  if (unknown.length === 0) return
  const addresses = unknown.map(addressIn).join(', ')
  throw new WrongNetwork(
    chain,
    `transactions or commands of ${addresses} are not finished, and no key here has that address: set RELAYER_KEY_${chain}_RETIRING to its key until the doctor reports it as drained`,
  )
}
