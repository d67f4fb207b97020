import * as commerce from '../commerce/events.ts'
import type { AnyEvent } from '../core/service-api.ts'
import * as domains from '../domains/events.ts'
import * as bonds from '../escrow/bond-events.ts'
import * as escrow from '../escrow/events.ts'
import * as identity from '../identity/events.ts'
import * as marketplace from '../marketplace/events.ts'
import * as reputation from '../reputation/events.ts'
import * as social from '../social/events.ts'
import * as swarm from '../swarm/events.ts'
import * as treasury from '../treasury/events.ts'
import * as notifications from './events.ts'

const published = [identity, reputation, marketplace, swarm, escrow, bonds, commerce, treasury, domains, social, notifications]

/** What the notifications service subscribes to: every event that somebody outside may see goes to the live stream, and many go to inboxes too. */
export const consumes: readonly AnyEvent[] = published
  .flatMap(events => Object.values<AnyEvent>(events))
  .filter(({ audience }) => audience !== undefined && audience !== 'internal')
