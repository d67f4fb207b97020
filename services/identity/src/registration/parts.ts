import type { Platform } from '@carapace/service'
import { counter } from './counter.store.ts'
import { inviteStore } from './invite.store.ts'
import { tokenOwners } from './owner.store.ts'

/** Who owns which token, the invites, and the numbers of the cards. */
export function registrationParts(platform: Platform) {
  const cards = counter(platform.db, 'card')
  return { owners: tokenOwners(platform), invites: inviteStore(platform.db), nextCard: cards.next, lastCard: cards.last }
}
