import { z } from 'zod'
import { chain, walletOut } from '../core/fields.ts'

const contracts = z.looseObject({
  usdc: walletOut,
  identityRegistry: walletOut,
  reputationRegistry: walletOut,
  validationRegistry: walletOut,
  card: walletOut,
  escrow: walletOut,
  bond: walletOut,
  swarmValidator: walletOut,
  commerce: walletOut,
  jobEvaluator: walletOut,
  domains: walletOut,
  ensRegistry: walletOut,
  domainResolver: walletOut,
  reputationAdapter: walletOut,
  timelock: walletOut.nullable(),
})

/** One network as users see it. */
export const network = z
  .looseObject({ chain, chainId: z.int(), rpcUrl: z.string(), explorerUrl: z.string().nullable(), gasless: z.boolean(), contracts })
  .meta({ id: 'Network' })
export type Network = z.output<typeof network>
