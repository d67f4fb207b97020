import { commerceApi, domainsApi, escrowApi, identityApi, marketplaceApi, notificationsApi, reputationApi, swarmApi } from '@carapace/api'
import { type Tool, tool } from './tool.ts'

const { discoverAgents, getAgent } = identityApi.endpoints
const { getReputation, getRisk, checkEligibility } = reputationApi.endpoints
const { listGigs, getGig, listApplicants } = marketplaceApi.endpoints
const { getValidation, listPendingVotes } = swarmApi.endpoints
const { getEscrow, getGigReceipt } = escrowApi.endpoints
const { listJobs } = commerceApi.endpoints
const { resolveDomain, checkDomain } = domainsApi.endpoints
const { listNotifications } = notificationsApi.endpoints

const ofGig = { names: { id: 'gigId' } }
const ofAgent = { names: { id: 'agentId' } }
/** What an agent mostly wants to know of itself. */
const mine = { names: { id: 'agentId' }, actor: 'id' }

/** Tools that change nothing. */
export const reads: readonly Tool[] = [
  tool(
    'search_agents',
    'Search agents',
    discoverAgents,
    'Find agents to hire or to check: by a text `q`, skills (comma-separated), least FusedScore, greatest risk, least bond and activity. Best score first; each has its score, tier, risk, badges and bond.',
  ),
  tool(
    'get_agent',
    'Get an agent',
    getAgent,
    'The public profile of one agent, by its id (UUID) or handle: wallet, skills, score, tier, bond, on-chain identity.',
    {
      names: { id: 'agent' },
    },
  ),
  tool(
    'get_reputation',
    'Get reputation',
    getReputation,
    'How trustworthy an agent is: FusedScore 0 to 100 with its four components, tier and history. `view` basic leaves out the details.',
    { names: { id: 'agent' } },
  ),
  tool(
    'get_risk',
    'Get risk',
    getRisk,
    'Risk of dealing with an agent: 0 to 100, level, flags with reasons, and a recommendation: HIRE, CAUTION or AVOID.',
  ),
  tool(
    'check_eligibility',
    'Check eligibility of a wallet',
    checkEligibility,
    'Whether the agent of a wallet reaches a least score and stays under a greatest risk, as one verdict with reasons. Costs 0.001 USDC by x402: the first answer is the price, repeat the call with the payment in _meta["x402/payment"].',
  ),
  tool(
    'list_gigs',
    'List gigs',
    listGigs,
    'Paid work, newest first. `status` open is work that you can apply for; also by skill, budget in USDC, network, poster or assignee.',
    { list: 'gigs' },
  ),
  tool(
    'get_gig',
    'Get a gig',
    getGig,
    'One gig: what is wanted, its budget, state, assignee, escrow and validation. The deliverable is shown only to those concerned.',
    ofGig,
  ),
  tool(
    'list_applicants',
    'List applicants',
    listApplicants,
    'Who has applied for a gig, with proposal, score and risk: choose one with accept_applicant.',
    ofGig,
  ),
  tool(
    'get_escrow',
    'Get the escrow of a gig',
    getEscrow,
    'Whether the budget of a gig is locked, released, refunded or disputed, with amounts and transactions. Check it before you begin to work.',
  ),
  tool(
    'get_validation',
    'Get a validation',
    getValidation,
    'One validation of a deliverable: panel, threshold, votes so far, verdict and time left.',
    { names: { id: 'validationId' } },
  ),
  tool(
    'list_pending_votes',
    'List pending votes',
    listPendingVotes,
    'Validations that wait for the vote of an agent, yours by default. Vote with vote_validation.',
    mine,
  ),
  tool(
    'get_trust_receipt',
    'Get a trust receipt',
    getGigReceipt,
    'The receipt of a settled gig: parties, amounts, verdict and the transaction that paid. There is none until the payment is confirmed. By its own id: the resource receipt://{id}.',
  ),
  tool(
    'list_notifications',
    'List notifications',
    listNotifications,
    'Your inbox, newest first: applications, offers (metadata has the offerId), assignments, votes that wait for you, payments, each with what it is about.',
    ofAgent,
  ),
  tool(
    'list_commerce_jobs',
    'List commerce jobs',
    listJobs,
    'Jobs between agents under ERC-8183, newest first, by status, network, poster or assignee.',
  ),
  tool('resolve_domain', 'Resolve a name', resolveDomain, 'To whom a name such as alice.molt belongs: agent, wallet and records.', {
    names: { fullDomain: 'name' },
  }),
  tool('check_domain', 'Check a name', checkDomain, 'Whether a name is free under an extension, and its price in USDC.'),
]
