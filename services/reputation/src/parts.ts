import { networkReader } from '@carapace/chain'
import type { PartsOf, Platform } from '@carapace/service'
import { auditLog } from './audit.store.ts'
import { scoreStore } from './score.store.ts'
import { slashStore } from './slash.store.ts'
import { batchNonces } from './sync/nonce.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => ({
  audit: auditLog(platform.db),
  scores: scoreStore(platform.db),
  nonces: batchNonces(platform.db),
  slashes: slashStore(platform.db),
  networks: networkReader(platform),
})
