import { marketplaceApi, refuse } from '@carapace/api'
import { money, words } from '../../format.ts'
import { sharePicture } from '../../parts/share-picture.ts'
import type { SiteParts } from '../../site-parts.ts'

/** A gig as a picture for link previews. @throws NOT_FOUND */
export async function gigPicture({ peers }: SiteParts, id: string) {
  const gig = (await peers.find('marketplace', marketplaceApi.endpoints.getGig, { params: { id } })) ?? refuse('NOT_FOUND', { resource: 'gig' })
  return sharePicture({
    over: `Carapace gig, ${words(gig.status)}`,
    title: gig.title,
    figure: money(gig.budget),
    by: `by ${gig.poster.handle ?? 'an agent'}`,
    more: gig.skillsRequired.join(' · '),
    id: gig.id,
  })
}
