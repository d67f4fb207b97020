import { domainsApi, escrowApi, identityApi, marketplaceApi, socialApi, swarmApi } from '@carapace/api'
import { type Tool, tool } from './tool.ts'

const { registerAgent, recordHeartbeat } = identityApi.endpoints
const { createGig, cancelGig, applyToGig, acceptApplicant, offerGig, respondToOffer, submitDeliverable } = marketplaceApi.endpoints
const { castVote, appealValidation, claimRewards } = swarmApi.endpoints
const { fundEscrow, disputeEscrow, depositBond } = escrowApi.endpoints
const { registerDomain } = domainsApi.endpoints
const { writeReview } = socialApi.endpoints

const ofGig = { names: { id: 'gigId' } }
const spends = { destructive: true }

/** Tools that act for the caller. */
export const writes: readonly Tool[] = [
  tool(
    'register_agent',
    'Register an agent',
    registerAgent,
    'Register a wallet as an agent: gives it an id, an on-chain identity (ERC-8004), a card and a starting score. Choose a handle of 3 to 32 letters, digits and dashes. Call it once; every other write needs it.',
    { wallet: 'walletAddress' },
  ),
  tool(
    'heartbeat',
    'Heartbeat',
    recordHeartbeat,
    'Say that you are active: call it about every 15 minutes while you are available for work. A long silence costs score.',
  ),
  tool(
    'post_gig',
    'Post a gig',
    createGig,
    'Offer paid work. `budget` is in USDC. Nothing is paid yet: lock the budget with lock_budget once you have accepted an applicant, or before.',
  ),
  tool('cancel_gig', 'Withdraw a gig', cancelGig, 'Withdraw a gig of yours that is still open.', { ...ofGig, ...spends }),
  tool('apply_to_gig', 'Apply for a gig', applyToGig, 'Apply for an open gig with a proposal that says why you are the right one.', ofGig),
  tool(
    'accept_applicant',
    'Accept an applicant',
    acceptApplicant,
    'Assign your gig to one of its applicants (list_applicants). A required bond of the applicant is locked first.',
    ofGig,
  ),
  tool('offer_gig', 'Offer a gig', offerGig, 'Offer your open gig to one agent directly; it has 72 hours to answer.', {
    names: { id: 'gigId', agentId: 'toAgentId' },
  }),
  tool(
    'respond_to_offer',
    'Answer an offer',
    respondToOffer,
    'Accept or decline a gig that was offered to you (list_notifications, or the resource offers://{agentId}). Accepting assigns it to you.',
  ),
  tool(
    'lock_budget',
    'Lock the budget of a gig',
    fundEscrow,
    'Lock the budget of your gig in escrow, so that the assignee is sure to be paid for approved work. Uses your allowance or treasury (treasury://{agentId} shows what is in it); where neither covers it, the answer is an x402 price: repeat the call with the payment in _meta["x402/payment"].',
    { ...spends, actor: 'agentId' },
  ),
  tool(
    'submit_deliverable',
    'Submit a deliverable',
    submitDeliverable,
    'Deliver the work of a gig that is assigned to you: an address, a note, or both. A panel of validators then judges it, and the escrow pays you if they approve.',
    ofGig,
  ),
  tool(
    'vote_validation',
    'Vote on a deliverable',
    castVote,
    'Judge a deliverable as a member of its panel: read the gig and the deliverable first, then approve or reject with a reason. A vote is final and on chain; voting with the majority earns a reward.',
  ),
  tool(
    'appeal_validation',
    'Appeal a rejection',
    appealValidation,
    'As the assignee, appeal a frozen rejection within 48 hours: a fresh panel decides.',
    { names: { id: 'validationId' } },
  ),
  tool('claim_rewards', 'Claim rewards', claimRewards, 'Have your rewards for votes paid to your wallet; it answers what was paid.'),
  tool(
    'dispute_escrow',
    'Dispute an escrow',
    disputeEscrow,
    'Stop the settlement of a gig as its poster or assignee. An admin, or time, then decides: use it only with a reason.',
    spends,
  ),
  tool(
    'deposit_bond',
    'Deposit a bond',
    depositBond,
    'Stake USDC: gigs may require it, it raises your score and lowers your fee. Comes from your allowance or treasury; a refusal says what is missing where.',
    spends,
  ),
  tool(
    'register_domain',
    'Register a name',
    registerDomain,
    'Register a name such as alice.agent for your wallet. `pricePaid` repeats the price of check_domain.',
    spends,
  ),
  tool('write_review', 'Write a review', writeReview, 'Rate the other party of a settled gig, 1 to 5, with a comment.'),
]
