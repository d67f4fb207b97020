import { marketplaceApi, type Offer } from '@carapace/api'
import { unlessPassing } from '@carapace/service'
import type { Stored } from '@carapace/store'
import type { Parts } from '../parts.ts'
import { commitAnswer } from './answer.ts'
import {
  type Answer,
  awaitHire,
  endHiring,
  expireHiring,
  type Message,
  mayRequest,
  recordHire,
  recordRefusal,
  requestAgain,
  startHiring,
} from './message.ts'

interface Hired {
  message: Stored<Message>
  /** Null while the marketplace has not answered. */
  offer: Offer | null
}

/** No caller waits for the jobs; and so long the marketplace has at least. */
const shortTimeoutMs = 2_000

/**
 * Makes and accepts a direct offer of the gig. The offer has the id of the message, so that it is made once, however often it is requested. Past its
 * first step a job carries the acceptance on.
 * @throws INVALID_STATE, WINDOW_CLOSED, and what the marketplace refuses
 */
export async function acceptOffer(parts: Parts, { id }: Message, answer: Answer & { operationId: string }, timeoutMs: number): Promise<Hired> {
  const start = (present: Message) =>
    present.hiring?.operationId === answer.operationId ? requestAgain(present, answer.now) : startHiring(present, answer)
  const message = await parts.messages.change(id, start)
  return requestHire(parts, message, Math.max(shortTimeoutMs, Math.ceil(timeoutMs)))
}

/** The offer of an acceptance that has succeeded: its repeat answers as the first call did. */
export const hiredOffer = (parts: Parts, message: Message): Promise<Offer> => request(parts, message, shortTimeoutMs)

/** `marketplace.offer.answered` of an offer that a message made. */
export async function onOfferAnswered(parts: Parts, offerId: string, status: 'accepted' | 'declined' | 'expired'): Promise<void> {
  const message = await parts.messages.get(offerId)
  if (!message) return
  const now = parts.clock.now()
  if (status === 'accepted') await commitAnswer(parts, message, present => recordHire(present, now))
  else if (status === 'declined') await commitAnswer(parts, message, present => recordRefusal(present, now))
  else await parts.messages.change(offerId, endHiring)
}

/** Carries on what a call left unfinished: the marketplace may never have received it. */
export async function carryOnHiring(parts: Parts, message: Stored<Message>, now: Date): Promise<void> {
  const { hiring } = message
  if (!hiring) return
  if (!mayRequest(hiring, now)) {
    await parts.messages.change(message.id, present => expireHiring(present, now))
    return
  }
  const present = await parts.messages.change(message.id, found => requestAgain(found, now))
  // it may have ended since it was found due
  if (!present.hiring) return
  await requestHire(parts, present, shortTimeoutMs).catch((error: unknown) => {
    parts.log.info({ err: error, messageId: message.id }, 'an accepted offer is refused')
  })
}

async function requestHire(parts: Parts, message: Stored<Message>, timeoutMs: number): Promise<Hired> {
  const offer = await unlessPassing(request(parts, message, timeoutMs)).catch(async (error: unknown) => {
    await unlessPassing(parts.messages.change(message.id, endHiring))
    throw error
  })
  if (!offer) return { message, offer: null }
  const now = parts.clock.now()
  const recorded =
    offer.status === 'accepted' ? commitAnswer(parts, message, present => recordHire(present, now)) : parts.messages.change(message.id, awaitHire)
  return { message: (await unlessPassing(recorded)) ?? message, offer }
}

async function request({ peers }: Parts, { id, gigId, fromAgentId, toAgentId }: Message, timeoutMs: number): Promise<Offer> {
  const body = { fromAgentId, toAgentId, messageId: id }
  const { offer } = await peers.call('marketplace', marketplaceApi.internal.hireByMessage, { params: { id: gigId ?? '' }, body, timeoutMs })
  return offer
}
