import * as api from '@carapace/api'
import { formatUsdc } from '@carapace/api'
import { type NoticeRule, rule } from './rule.ts'

/** Notices for events about names. */
export const domainNotices: readonly NoticeRule[] = [
  rule(api.domainActivated, ({ agentId, domainId, fullDomain, pricePaid, chain, txHash }, notify) =>
    notify(agentId, ['domain_registered', 'Name registered', `${fullDomain} is yours${pricePaid > 0n ? `, for ${formatUsdc(pricePaid)}` : ''}.`], {
      domainId,
      fullDomain,
      chain,
      txHash,
      pricePaid: Number(pricePaid),
    }),
  ),
  rule(api.domainTransferred, ({ agentId, fromAgentId, domainId, fullDomain, ownerWallet, chain, txHash }, notify) => {
    const metadata = { domainId, fullDomain, chain, txHash, ownerWallet }
    notify(agentId, ['domain_transferred', 'Name received', `${fullDomain} belongs to you now.`], metadata)
    notify(fromAgentId, ['domain_transferred', 'Name transferred', `${fullDomain} belongs to ${ownerWallet} now.`], metadata)
  }),
]
