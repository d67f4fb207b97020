import { type escrowApi, refuse, retryableIn, usd } from '@carapace/api'
import { explorerOf } from '@carapace/chain'
import { baseUrlOf, type Handlers, reply, unlessRefused } from '@carapace/service'
import { shownContractOf } from '../bond/bound-contract.ts'
import { bondOf } from '../bond/change-bond.ts'
import { bondRow } from '../bond/views.ts'
import { passingStates } from '../escrow/escrow-states.ts'
import type { Parts } from '../parts.ts'
import { followPayment } from '../receipt/follow-payment.ts'
import { issueReceipt } from '../receipt/issue-receipt.ts'
import { receiptView } from '../receipt/receipt.ts'
import { shownEscrow } from './escrows.ts'

export const receiptHandlers = (parts: Parts) => {
  const { receipts, earnings, config, networks } = parts
  const baseUrl = baseUrlOf(config)
  const explorer = explorerOf(networks, config, baseUrl)
  const view = (receipt: Parameters<typeof receiptView>[0]) => receiptView(receipt, baseUrl, explorer)
  return {
    getGigReceipt: async ({ params }) => view(await receipts.ofGig(params.gigId)),

    getGigMoney: async ({ params: { gigId } }) => {
      const [escrow, receipt] = await Promise.all([unlessRefused(shownEscrow(parts, gigId)), unlessRefused(receipts.ofGig(gigId))])
      return { escrow, receipt: receipt && view(receipt) }
    },

    getAgentMoney: async ({ params: { agentId }, query }) => {
      const [bond, newest] = await Promise.all([unlessRefused(bondOf(parts, agentId)), receipts.newestOf(agentId, query.receipts)])
      return { bond: bond && { ...bondRow(bond), ...shownContractOf(parts, bond) }, receipts: newest.map(view) }
    },

    listReceipts: async ({ query }) => {
      const [{ items, total }, sum] = await Promise.all([receipts.page({}, query), receipts.sums()])
      return { receipts: items.map(view), total, ...query, totalSettled: usd(sum('netPaid')), currency: 'USDC' as const }
    },

    listAgentReceipts: async ({ params, query }) => {
      const { role, limit, offset } = query
      const { id } = await parts.agents.need(params.agentId)
      const sides = { all: { partyIds: id }, poster: { posterId: id }, assignee: { assigneeId: id } }
      const { items, total } = await receipts.page(sides[role], { limit, offset })
      return { receipts: items.map(view), total, limit, offset }
    },

    getReceipt: async ({ params }) => view(await receipts.need(params.id)),

    issueReceipt: async ({ body }) => {
      const escrow = (await parts.escrows.get(body.gigId)) ?? refuse('NOT_FOUND', { resource: 'escrow' })
      if (escrow.assignment?.assigneeId !== body.agentId) refuse('NOT_ASSIGNEE', undefined, escrow.assignment ? {} : { retryable: true })
      const { status } = escrow
      if (status !== 'released') refuse('INVALID_STATE', { state: status, allowed: ['released'] }, retryableIn(passingStates, status, ['released']))
      const { receipt, isNew } = await issueReceipt(parts, escrow)
      // the payment may have been reversed since the escrow was read
      await followPayment(parts, escrow.id)
      return isNew ? view(receipt) : reply(200, view(receipt))
    },

    listEarnings: async ({ params, query }) => {
      const agent = await parts.agents.need(params.id)
      const [{ items, total }, earned] = await Promise.all([earnings.page(agent.id, query), earnings.total(agent.id)])
      const history = items.map(({ gigId, jobId, title, net, fee, chain, txHash, completedAt }) => ({
        gigId,
        jobId,
        gigTitle: title,
        amount: usd(net),
        fee: usd(fee),
        chain,
        txHash,
        completedAt: completedAt.toISOString(),
      }))
      return { agentId: agent.id, history, totalEarned: usd(earned), gigsCompleted: total, currency: 'USDC' as const, total, ...query }
    },
  } satisfies Handlers<typeof escrowApi>
}
