import { baseUrlOf, type Platform } from '@carapace/service'
import { credentialDesk, statusListDesk } from './issued.ts'
import { issuerSource } from './issuer.ts'
import { revokedEntries } from './status-list.ts'

/** Who issues and revokes credentials, and under which address. */
export function credentialParts({ db, config, clock, newId }: Platform) {
  const baseUrl = baseUrlOf(config)
  const issuer = issuerSource(config, baseUrl)
  const desk = { clock, newId, issuer, baseUrl }
  return { baseUrl, issuer, credentialFor: credentialDesk(desk), statusList: statusListDesk({ ...desk, revoked: revokedEntries(db) }) }
}
