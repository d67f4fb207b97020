import type { WebhookDelivery } from '@carapace/api'
import { stateMachine } from '@carapace/store'

/** One notification on its way to one webhook. */
export const deliveryStates = stateMachine<WebhookDelivery['status'], 'accept' | 'abandon' | 'replay'>({
  name: 'delivery',
  initial: 'pending',
  final: ['delivered', 'failed'],
  transitions: {
    pending: { accept: 'delivered', abandon: { to: 'failed', byTime: '48 h after the notification' } },
    delivered: { replay: 'pending' },
    failed: { replay: 'pending' },
  },
})
