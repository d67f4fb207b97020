import { type NotificationType, refuseField, webhookDisabled } from '@carapace/api'
import { isPublicAddress, type Sealing } from '@carapace/service'
import type { Decision } from '@carapace/store'

/** Where the inbox of an agent is delivered to; its id is the agent's. */
export interface Webhook {
  id: string
  url: string
  /** null: every type */
  types: NotificationType[] | null
  /** Sealed, as the previous one is. */
  secret: string
  previous: Former | null
  /** Those before the previous one, where it was rotated again within their time; the newest first. */
  former?: Former[]
  /** The key under which they were sealed, if it is here; absent from what an older version stored: they are as they were shown. */
  sealedBy?: string
  disabledAt: Date | null
  /** What was queued before then fails without a further try, because it was disabled; null or absent once all of that has failed. */
  failsBefore?: Date | null
}

/** A secret under which deliveries are signed until then as well. */
interface Former {
  secret: string
  until: Date
}

const day = 86_400_000
/** So many secrets sign at the same time: each makes the header longer. */
const mostSecrets = 6

/** As it is set: a webhook that exists goes on under its secret, and a disabled one is enabled. */
export const setTo = (webhook: Webhook, { url, types }: Pick<Webhook, 'url' | 'types'>): Webhook => ({ ...webhook, url, types, disabledAt: null })

/** Under the key that seals now. A secret whose key is lost stays as it is: it opens no more. */
export function resealed(webhook: Webhook, sealing: Sealing): Webhook {
  if (webhook.sealedBy === sealing.keyId) return webhook
  const again = (secret: string): string => {
    const text = opened(webhook, secret, sealing)
    return text === undefined ? secret : sealing.seal(text, webhook.id)
  }
  const formerAgain = (one: Former) => ({ ...one, secret: again(one.secret) })
  const { secret, previous, former = [] } = webhook
  return { ...webhook, secret: again(secret), previous: previous && formerAgain(previous), former: former.map(formerAgain), sealedBy: sealing.keyId }
}

/** @param secret sealed as the present one is */
export const rotated = (webhook: Webhook, secret: string, now: Date): Webhook => ({
  ...webhook,
  secret,
  previous: { secret: webhook.secret, until: new Date(now.getTime() + day) },
  former: formerAt(webhook, now).slice(0, mostSecrets - 2),
})

/** Who has lost the answer of a rotation rotates again: what its receiver knows goes on to count for its day. */
const formerAt = ({ previous, former = [] }: Webhook, now: Date): Former[] =>
  [...(previous ? [previous] : []), ...former].filter(({ until }) => now < until)

export const disable = (webhook: Webhook, now: Date): Decision<Webhook> | undefined =>
  webhook.disabledAt
    ? undefined
    : {
        state: { ...webhook, disabledAt: now, failsBefore: now },
        events: [webhookDisabled.of({ agentId: webhook.id, host: new URL(webhook.url).host })],
      }

/** Whether nothing is sent of what was queued at that time: it is disabled, or has been since. */
export const isClosedTo = ({ disabledAt, failsBefore = null }: Webhook, queuedAt: Date): boolean =>
  disabledAt !== null || (failsBefore !== null && queuedAt < failsBefore)

export const wants = ({ types, disabledAt }: Webhook, type: NotificationType): boolean => !disabledAt && (types?.includes(type) ?? true)

/** Secrets under which a delivery is signed now; none where their key is lost. */
export function secretsAt(webhook: Webhook, now: Date, sealing: Sealing): string[] {
  const sealed = [webhook.secret, ...formerAt(webhook, now).map(({ secret }) => secret)]
  return sealed.flatMap(each => opened(webhook, each, sealing) ?? [])
}

const opened = ({ id, sealedBy }: Webhook, secret: string, sealing: Sealing): string | undefined =>
  sealedBy === undefined ? secret : sealing.open(secret, id)

/** What is plain from the address itself; what its name resolves to is examined with every delivery. @throws VALIDATION_ERROR */
export function checkAddress(text: string, allowsLoopback: boolean): void {
  const { protocol, hostname, port } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isNumber = /^[\d.]+$|:/.test(host)
  const faults = [
    protocol !== 'https:' && 'must be https',
    isNumber && !isPublicAddress(host) && 'must be a public address',
    port !== '' && 'must be at port 443',
  ]
  const fault = faults.find(one => one !== false)
  if (fault && !allowsLoopback) refuseField('webhookUrl', fault)
}
