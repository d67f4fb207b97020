import { z } from 'zod'
import { namesOf } from '../core/audience.ts'
import { event } from '../core/event.ts'
import { chain, id, micro, timestamp, walletOut } from '../core/fields.ts'
import { snapshotEvent } from '../core/snapshot.ts'
import { extension } from './records.ts'

/** `moltDomain`: the name itself where it is the .molt name that its agent goes by after the change, else null. */
const domainFacts = {
  domainId: id,
  fullDomain: z.string(),
  tld: extension,
  ownerWallet: walletOut,
  agentId: id.nullable(),
  moltDomain: z.string().nullable(),
  chain,
  tokenId: z.string().nullable(),
  txHash: z.string().nullable(),
  at: timestamp,
}
export const domainActivated = event(
  'domains.domain.registered',
  'domainId',
  'A name is registered',
  {
    ...domainFacts,
    pricePaid: micro,
    free: z.boolean(),
  },
  { everyone: [...namesOf(domainFacts), 'pricePaid', 'free'] },
)
export const domainTransferred = event(
  'domains.domain.transferred',
  'domainId',
  'A name has another owner',
  {
    ...domainFacts,
    fromAgentId: id.nullable(),
    fromWallet: walletOut,
  },
  { everyone: [...namesOf(domainFacts), 'fromAgentId', 'fromWallet'] },
)
export const domainDeleted = event('domains.domain.deleted', 'domainId', 'A name was deleted', domainFacts, { everyone: namesOf(domainFacts) })
export const domainSynced = event('domains.domain.synced', 'domainId', 'The record of a name was corrected by the chain', domainFacts, 'internal')
export const domainsSnapshot = snapshotEvent('domains', ['domain'])
