import { hourMs, messageOfferAnswered, messageSent, refuse } from '@carapace/api'
import type { Decision } from '@carapace/store'
import { type MessageStatus, messageStates } from './message-states.ts'

/** Who may read it are the two agents, and nobody else: no event, log or metric contains `content` or `reason`. */
export interface Message {
  id: string
  conversationId: string
  /** Its place in the conversation, from 1. */
  number: number
  fromAgentId: string
  toAgentId: string
  content: string
  messageType: 'TEXT' | 'GIG_OFFER'
  gigId: string | null
  status: MessageStatus
  sentAt: Date
  readAt: Date | null
  answeredAt: Date | null
  /** Of the recipient's answer. */
  reason: string | null
  /** The operation that answered it: its repeat answers as the first call did. */
  operationId: string | null
  /** Set while an offer that the recipient accepts is with the marketplace. */
  hiring: Hiring | null
  /** When `hiring` is carried on. */
  dueAt: Date | null
}

export interface Hiring {
  operationId: string
  reason: string | null
  since: Date
  /** When the marketplace was requested last: it may have received the acceptance then. Absent from what an older version stored: `since`. */
  requestedAt?: Date
  /** The marketplace carries it on by itself, and publishes how it ends. */
  isReceived: boolean
}

export interface Answer {
  reason: string | null
  operationId: string | null
  now: Date
}

const offerForMs = 72 * hourMs
/** Longer than the first call lasts. */
const firstRequestMs = 15_000
const nextRequestMs = 30_000
/** So long a marketplace that does not answer is requested again. */
const requestsForMs = 20 * 60_000
/** After the last request: the marketplace abandons an acceptance 15 minutes after it has received it. */
const hiringForMs = 20 * 60_000

export function newMessage(
  fields: Pick<Message, 'id' | 'conversationId' | 'number' | 'fromAgentId' | 'toAgentId' | 'content' | 'messageType' | 'gigId'>,
  now: Date,
): Decision<Message> {
  const unanswered = { sentAt: now, readAt: null, answeredAt: null, reason: null, operationId: null, hiring: null, dueAt: null }
  const state: Message = { ...fields, status: messageStates.initial, ...unanswered }
  return { state, events: [messageSent.of(factsOf(state, now))] }
}

/** @throws FORBIDDEN */
export function needRecipient({ toAgentId }: Message, agentId: string): void {
  if (toAgentId !== agentId) refuse('FORBIDDEN', undefined, { message: 'Only the recipient answers a message' })
}

/** Accepted or declined. An answer proves that the message was read. @throws INVALID_STATE, WINDOW_CLOSED */
export function answerMessage(message: Message, trigger: 'accept' | 'decline', answer: Answer): Decision<Message> {
  return answered(message, statusAfter(message, trigger, answer.now), answer)
}

/** The recipient accepts an offer: until the marketplace has decided, nothing else answers it. @throws INVALID_STATE, WINDOW_CLOSED */
export function startHiring(message: Message, { reason, operationId, now }: Answer & { operationId: string }): Decision<Message> {
  statusAfter(message, 'accept', now)
  const hiring: Hiring = { operationId, reason, since: now, requestedAt: now, isReceived: false }
  return { state: { ...message, hiring, dueAt: new Date(now.getTime() + firstRequestMs) }, events: [] }
}

/** The marketplace has received the acceptance, and waits for a bond lock. */
export function awaitHire(message: Message): Decision<Message> | undefined {
  const { hiring } = message
  if (!hiring || hiring.isReceived) return undefined
  return { state: { ...message, hiring: { ...hiring, isReceived: true }, dueAt: endOf(hiring) }, events: [] }
}

/** The marketplace is requested again: the next request comes after a pause, and the marketplace has its time from now on. */
export function requestAgain(message: Message, now: Date): Decision<Message> | undefined {
  const { hiring } = message
  if (!hiring) return undefined
  return { state: { ...message, hiring: { ...hiring, requestedAt: now }, dueAt: new Date(now.getTime() + nextRequestMs) }, events: [] }
}

/** The gig is assigned by this offer. Undefined when that is recorded already. */
export function recordHire(message: Message, now: Date): Decision<Message> | undefined {
  const status = messageStates.next(message.status, 'hire')
  if (!status) return undefined
  const { reason = null, operationId = null } = message.hiring ?? {}
  return answered(message, status, { reason, operationId, now })
}

/** The recipient has declined the offer at the marketplace. Undefined when it is answered already. */
export function recordRefusal(message: Message, now: Date): Decision<Message> | undefined {
  const status = messageStates.next(message.status, 'decline')
  return status && answered(message, status, { reason: null, operationId: null, now })
}

/** The marketplace refuses the acceptance: the offer may be answered again. */
export const endHiring = (message: Message): Decision<Message> | undefined =>
  message.hiring ? { state: { ...message, hiring: null, dueAt: null }, events: [] } : undefined

/** Nothing came of an acceptance in time: the offer may be answered again. Until then it only waits. */
export function expireHiring(message: Message, now: Date): Decision<Message> | undefined {
  const { hiring } = message
  if (!hiring) return undefined
  return endOf(hiring) <= now ? endHiring(message) : { state: { ...message, dueAt: endOf(hiring) }, events: [] }
}

/** Whether the marketplace is to be requested again; where it is not, the acceptance waits for its end. */
export const mayRequest = ({ since, isReceived }: Hiring, now: Date): boolean => !isReceived && now.getTime() - since.getTime() < requestsForMs

/** An acceptance whose answer was lost is with the marketplace as well: its time counts from the last request. */
const endOf = ({ since, requestedAt = since }: Hiring): Date => new Date(requestedAt.getTime() + hiringForMs)

/** @throws INVALID_STATE, WINDOW_CLOSED */
function statusAfter({ messageType, status, hiring, sentAt }: Message, trigger: 'accept' | 'decline', now: Date): MessageStatus {
  const next = messageStates.move(status, trigger)
  if (hiring)
    refuse('INVALID_STATE', { state: status, allowed: messageStates.allowedIn(trigger) }, { message: 'The offer is being accepted', retryable: true })
  if (messageType === 'GIG_OFFER' && now.getTime() - sentAt.getTime() >= offerForMs)
    refuse('WINDOW_CLOSED', undefined, { message: 'An offer is answered within 72 hours' })
  return next
}

function answered(message: Message, status: MessageStatus, { reason, operationId, now }: Answer): Decision<Message> {
  const answer = { status, reason, operationId, answeredAt: now, readAt: message.readAt ?? now, hiring: null, dueAt: null }
  const offerId = message.messageType === 'GIG_OFFER' && status === 'ACCEPTED' ? message.id : null
  const event = messageOfferAnswered.of({ ...factsOf(message, now), status: status === 'ACCEPTED' ? 'ACCEPTED' : 'DECLINED', offerId })
  return { state: { ...message, ...answer }, events: [event] }
}

const factsOf = ({ id, fromAgentId, toAgentId, messageType, gigId }: Message, now: Date) => ({
  messageId: id,
  fromAgentId,
  toAgentId,
  messageType,
  gigId,
  at: now.toISOString(),
})
