import { type Slash as SlashView, usd } from '@carapace/api'
import type { Stored } from '@carapace/store'
import type { Slash } from './slash.ts'

export const slashView = ({
  id,
  agentId,
  gigId,
  validationId,
  amount,
  reason,
  status,
  scoreBefore,
  txHash,
  createdAt,
}: Stored<Slash>): SlashView => ({
  id,
  agentId,
  gigId,
  validationId,
  amount: usd(amount),
  reason,
  status,
  scoreBefore,
  scoreAfter: null,
  txHash,
  createdAt: createdAt.toISOString(),
})
