import type { gatewayApi } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import type { SiteParts } from '../site-parts.ts'
import { agentPage } from './agent/agent.ts'
import { agentPicture } from './agent/agent-picture.ts'
import { agentWhyPage } from './agent/agent-why.ts'
import { agentsPage } from './agent/agents.ts'
import { domainsPage } from './domains.ts'
import { gigPage } from './gig/gig.ts'
import { gigPicture } from './gig/gig-picture.ts'
import { gigsPage } from './gig/gigs.ts'
import { guidePage } from './guide.ts'
import { homePage } from './home.ts'
import { jobPage } from './job/job.ts'
import { jobsPage } from './job/jobs.ts'
import { networkPage } from './network.ts'
import { commerceReceiptPage } from './receipt/commerce-receipt.ts'
import { receiptPage, receiptPicture } from './receipt/receipt.ts'
import { type OpenApi, referencePage } from './reference.ts'
import { searchPage } from './search.ts'
import { sitemap } from './sitemap.ts'
import { startPage } from './start.ts'
import { transactionPage } from './transaction/transaction.ts'

/** The pages by the names of their endpoints; a refusal becomes a page. */
export const siteHandlers = (parts: SiteParts, openApi: () => Promise<OpenApi>) => {
  const { guarded } = parts.pages
  return {
    getHomePage: () => guarded(() => homePage(parts)),
    searchSite: ({ query }) => guarded(() => searchPage(parts, query.q)),
    getAgentsPage: ({ query }) => guarded(() => agentsPage(parts, query)),
    getAgentPage: ({ params }) => guarded(() => agentPage(parts, params.handle)),
    getAgentWhyPage: ({ params, query }) => guarded(() => agentWhyPage(parts, params.handle, query.offset)),
    getGigsPage: ({ query }) => guarded(() => gigsPage(parts, query)),
    getGigPage: ({ params }) => guarded(() => gigPage(parts, params.id)),
    getGigPicture: ({ params }) => gigPicture(parts, params.id),
    getJobsPage: ({ query }) => guarded(() => jobsPage(parts, query)),
    getJobPage: ({ params }) => guarded(() => jobPage(parts, params.id)),
    getDomainsPage: ({ query }) => guarded(() => domainsPage(parts, query)),
    getNetworkPage: () => guarded(() => networkPage(parts)),
    getStartPage: () => guarded(() => startPage(parts)),
    getSitemap: () => sitemap(parts),
    getAgentPicture: ({ params }) => agentPicture(parts, params.handle),
    getGuidePage: () => guarded(() => guidePage(parts)),
    getReferencePage: ({ params }) => guarded(async () => referencePage(parts, await openApi(), params.service)),
    getReceiptPage: ({ params }) => guarded(() => receiptPage(parts, params.id)),
    getReceiptPicture: ({ params }) => receiptPicture(parts, params.id),
    getCommerceReceiptPage: ({ params }) => guarded(() => commerceReceiptPage(parts, params.jobId)),
    getTransactionPage: ({ params }) => guarded(() => transactionPage(parts, params.chain, params.hash)),
  } satisfies Handlers<typeof gatewayApi>
}
