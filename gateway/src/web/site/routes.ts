import type { gatewayApi } from '@carapace/api'
import type { Handlers } from '@carapace/service'
import { agentPage } from './agent.ts'
import { agentPicture } from './agent-picture.ts'
import { agentsPage } from './agents.ts'
import { commerceReceiptPage } from './commerce-receipt.ts'
import { domainsPage } from './domains.ts'
import { gigPage } from './gig.ts'
import { gigPicture } from './gig-picture.ts'
import { gigsPage } from './gigs.ts'
import { guidePage } from './guide.ts'
import { homePage } from './home.ts'
import { jobPage } from './job.ts'
import { jobsPage } from './jobs.ts'
import { networkPage } from './network.ts'
import type { SiteParts } from './parts.ts'
import { receiptPage, receiptPicture } from './receipt.ts'
import { type OpenApi, referencePage } from './reference.ts'
import { searchPage } from './search.ts'
import { sitemap } from './sitemap.ts'
import { startPage } from './start.ts'
import { transactionPage } from './transaction.ts'

/** The pages by the names of their endpoints; a refusal becomes a page. */
export const siteHandlers = (parts: SiteParts, document: OpenApi) => {
  const { guarded } = parts.pages
  return {
    getHomePage: () => guarded(() => homePage(parts)),
    searchSite: ({ query }) => guarded(() => searchPage(parts, query.q)),
    getAgentsPage: ({ query }) => guarded(() => agentsPage(parts, query)),
    getAgentPage: ({ params }) => guarded(() => agentPage(parts, params.handle)),
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
    getReferencePage: ({ params }) => guarded(() => referencePage(parts, document, params.service)),
    getReceiptPage: ({ params }) => guarded(() => receiptPage(parts, params.id)),
    getReceiptPicture: ({ params }) => receiptPicture(parts, params.id),
    getCommerceReceiptPage: ({ params }) => guarded(() => commerceReceiptPage(parts, params.jobId)),
    getTransactionPage: ({ params }) => guarded(() => transactionPage(parts, params.chain, params.hash)),
  } satisfies Handlers<typeof gatewayApi>
}
