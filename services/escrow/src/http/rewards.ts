import { type escrowApi, usd } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { topUp } from '../reward/fund-reward.ts'

export const rewardHandlers = (parts: Parts) =>
  ({
    topUpRewards: async ({ params, body, caller, operationId }) => {
      const { amount, funded } = await topUp(parts, params.validationId, body.amount, operationId)
      parts.log.info({ validationId: params.validationId, by: caller.wallet, reason: body.reason, amount: String(amount) }, 'rewards topped up')
      return {
        validationId: params.validationId,
        amount: usd(amount),
        funded: funded.map(share => ({ validatorId: share.validatorId, amount: usd(share.amount) })),
      }
    },
  }) satisfies Handlers<typeof escrowApi>
