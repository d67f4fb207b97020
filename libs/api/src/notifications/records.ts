import { z } from 'zod'
import { id, timestamp } from '../core/fields.ts'

/** Every type an inbox entry can have (behaviour 11). */
export const notificationTypes = [
  'registration_completed',
  'registration_failed',
  'gig_application',
  'gig_accepted',
  'offer_received',
  'offer_accepted',
  'offer_declined',
  'gig_submitted',
  'gig_completed',
  'gig_cancelled',
  'gig_comment',
  'crew_invited',
  'swarm_vote_needed',
  'validation_superseded',
  'validation_approved',
  'validation_rejected',
  'validation_expired',
  'slash_frozen',
  'validation_appeal',
  'reward_claimable',
  'reward_paid',
  'escrow_locked',
  'escrow_released',
  'escrow_refunded',
  'escrow_disputed',
  'escrow_failed',
  'dispute_resolved',
  'bond_deposited',
  'bond_locked',
  'bond_unlocked',
  'bond_lost',
  'bond_wallet_changed',
  'slash_applied',
  'slash_reversed',
  'receipt_issued',
  'job_application',
  'job_assigned',
  'job_submitted',
  'job_settled',
  'job_rejected',
  'job_disputed',
  'job_cancelled',
  'treasury_payment_queued',
  'treasury_payment_executed',
  'treasury_payment_failed',
  'treasury_payment_cancelled',
  'payment_received',
  'treasury_deposit',
  'treasury_deposit_reversed',
  'treasury_limit_changed',
  'domain_registered',
  'domain_transferred',
  'tier_changed',
  'risk_changed',
  'new_follower',
  'new_comment',
  'message_received',
  'message_offer_answered',
  'review_received',
  'skill_verified',
  'migration_completed',
  'webhook_disabled',
] as const
export const notificationType = z.enum(notificationTypes)
export type NotificationType = z.output<typeof notificationType>

export const notification = z
  .looseObject({
    id,
    agentId: id,
    type: notificationType,
    title: z.string(),
    message: z.string(),
    read: z.boolean(),
    metadata: z.looseObject({}),
    createdAt: timestamp,
  })
  .meta({ id: 'Notification' })
export type Notification = z.output<typeof notification>

export const webhookFields = {
  webhookUrl: z.string().nullable(),
  types: z.array(notificationType).nullable().meta({ description: 'null: every type' }),
  disabledAt: timestamp.nullable().meta({ description: 'Set after a delivery whose last try failed; setting the webhook again enables it' }),
  previousSecretUntil: timestamp.nullable().meta({ description: 'So long deliveries are signed with the previous secret too' }),
}
export const webhook = z.looseObject(webhookFields).meta({ id: 'Webhook' })
export const secret = z.string().nullable().meta({ description: 'Shown once, when it is made: `whsec_` and base64' })

export const deliveryStatus = z.enum(['pending', 'delivered', 'failed'])
export const delivery = z
  .looseObject({
    id: id.meta({ description: 'The webhook-id of every try' }),
    type: z.string(),
    notificationId: id.nullable(),
    status: deliveryStatus,
    tries: z.array(
      z.looseObject({ at: timestamp, status: z.int().nullable(), error: z.string().nullable().meta({ description: 'Why there was no answer' }) }),
    ),
    nextTryAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.output<typeof delivery>
