import { z } from 'zod'
import { usdOut } from './fields.ts'

const next = z
  .looseObject({})
  .nullable()
  .meta({ description: 'What to call next: `method` and `path` here, or `call` on the token or with the wallet; null when nothing helps' })
const source = <Reason extends string>(...reasons: [Reason, ...Reason[]]) => ({ required: usdOut, reason: z.enum(reasons), next })
const available = usdOut.optional().meta({ description: 'Only for a proven caller' })

/** `details.options` of FUNDS_REQUIRED: why each source did not cover the amount. Balances and limits only for a proven caller. */
export const fundingOptions = z
  .looseObject({
    allowance: z.looseObject({
      token: z.string(),
      spender: z.string(),
      amount: usdOut,
      walletBalance: usdOut.optional(),
      allowance: usdOut.optional(),
      available,
      ...source('BALANCE_TOO_LOW', 'ALLOWANCE_TOO_LOW', 'NOT_PROVEN'),
    }),
    authorization: z.looseObject({ available, ...source('NOT_SENT', 'EXPIRED', 'NOT_YET_VALID', 'BALANCE_TOO_LOW', 'NOT_COVERED', 'NOT_OFFERED') }),
    treasury: z.looseObject({
      depositAddress: z.string().nullable(),
      missing: usdOut.optional(),
      available,
      debt: usdOut.optional(),
      dailyLimit: usdOut.optional(),
      remaining: usdOut.optional().meta({ description: 'Of the daily limit' }),
      resetsAt: z.string().optional(),
      ...source('NO_WALLET', 'BALANCE_TOO_LOW', 'DAILY_LIMIT_REACHED', 'IN_DEBT', 'GIVEN_BACK', 'UNKNOWN', 'NOT_PROVEN'),
    }),
    x402: z.looseObject({ endpoint: z.string().optional(), ...source('NOT_SENT', 'NOT_ENABLED', 'NOT_OFFERED') }),
  })
  .meta({ id: 'FundingOptions' })
export type FundingOptions = z.output<typeof fundingOptions>
