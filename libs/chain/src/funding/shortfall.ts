import { type FundingOptions, Refusal, treasuryApi, usd } from '@carapace/api'
import type { FundingNeed, FundingParts } from './find-source.ts'

/** What was found at the sources that do not cover the amount, micro-USDC. */
export interface Found {
  usdc: string
  spender: string
  /** Of the agent's own wallet. */
  balance: bigint
  allowance: bigint
  custodial: string | undefined
  custodialBalance: bigint
}

/** Why each source fell short and what to call next. Balances and limits are for the agent alone: a caller that is not proven gets none. */
export async function shortfall(parts: FundingParts, need: FundingNeed, seen: Found): Promise<FundingOptions> {
  const { amount, isProven } = need
  const room = isProven ? await spendable(parts, need) : undefined
  const required = usd(amount)
  const { usdc: token, spender } = seen
  const isShort = seen.balance < amount
  const top = {
    call: `transfer USDC to ${need.wallet}`,
    token,
    to: need.wallet,
    ...(isProven ? { amount: usd(positive(amount - seen.balance)) } : {}),
  }
  const sign = { call: 'sign this request (ERC-8128)' }
  const approve = { call: 'approve(address spender, uint256 amount)', token, spender, amount: String(amount) }
  const authorize = { call: 'send this request again with authorization', types: ['eip3009', 'eip2612'] }
  const sent = authorizationReason(need)
  return {
    allowance: {
      token,
      spender,
      amount: required,
      required,
      ...(isProven
        ? {
            walletBalance: usd(seen.balance),
            allowance: usd(seen.allowance),
            available: usd(lower(seen.balance, seen.allowance)),
            reason: isShort ? 'BALANCE_TOO_LOW' : 'ALLOWANCE_TOO_LOW',
            next: isShort ? top : approve,
          }
        : { reason: 'NOT_PROVEN', next: sign }),
    },
    authorization: {
      required,
      ...(isProven ? { available: usd(seen.balance) } : {}),
      reason: sent ?? (isProven ? 'BALANCE_TOO_LOW' : 'NOT_COVERED'),
      next: sent === 'NOT_OFFERED' ? null : sent || !isProven ? authorize : top,
    },
    treasury: {
      depositAddress: seen.custodial ?? null,
      required,
      ...(isProven ? treasuryPart(need, seen, room) : { reason: 'NOT_PROVEN', next: sign }),
    },
    x402: x402Part(need, parts.config.X402_PAY_TO_ADDRESS),
  }
}

/** Why the custodial wallet does not pay. `found`: what treasury says, undefined when it is away. */
function treasuryPart({ agentId, amount }: FundingNeed, { usdc: token, custodial, custodialBalance }: Found, found: Spendable | undefined) {
  const again = { call: 'send this request again' }
  if (custodial === undefined) {
    const open = { method: 'POST', path: `/api/agents/${agentId}/treasury/fund` }
    return {
      missing: usd(amount),
      available: 0,
      ...(found ? { reason: 'NO_WALLET' as const, next: open } : { reason: 'UNKNOWN' as const, next: again }),
    }
  }
  const available = found ? lower(found.available, custodialBalance) : custodialBalance
  const missing = usd(positive(amount - available))
  const limit = found && { dailyLimit: usd(found.dailyLimit), remaining: usd(found.remaining), resetsAt: found.resetsAt }
  const state = { missing, available: usd(available), ...limit }
  const deposit = (lacking: number) => ({ call: `transfer USDC to ${custodial}`, token, to: custodial, amount: lacking })
  if (available < amount) return { ...state, reason: 'BALANCE_TOO_LOW' as const, next: deposit(missing) }
  if (!found) return { ...state, reason: 'UNKNOWN' as const, next: again }
  if (found.debt > 0n) return { ...state, debt: usd(found.debt), reason: 'IN_DEBT' as const, next: deposit(usd(found.debt)) }
  const raise = { method: 'PATCH', path: `/api/agents/${agentId}/treasury/limits` }
  if (found.remaining < amount) return { ...state, reason: 'DAILY_LIMIT_REACHED' as const, next: raise }
  return { ...state, reason: 'GIVEN_BACK' as const, next: again }
}

const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n)

/** Why the authorisation of the body was not used; undefined when it was, and the wallet does not hold the amount. */
function authorizationReason({ authorization, fromAllowance }: FundingNeed): 'NOT_SENT' | 'EXPIRED' | 'NOT_YET_VALID' | 'NOT_OFFERED' | undefined {
  if (fromAllowance) return 'NOT_OFFERED'
  if (!authorization) return 'NOT_SENT'
  const now = Math.floor(Date.now() / 1000)
  if (authorization.type === 'eip2612') return authorization.deadline <= now ? 'EXPIRED' : undefined
  if (authorization.validBefore <= now) return 'EXPIRED'
  return authorization.validAfter > now ? 'NOT_YET_VALID' : undefined
}

function x402Part({ x402At: endpoint, amount }: FundingNeed, payTo: string | undefined): FundingOptions['x402'] {
  const required = usd(amount)
  if (endpoint === undefined) return { required, reason: 'NOT_OFFERED', next: null }
  if (payTo === undefined || /^0x0{40}$/.test(payTo)) return { required, reason: 'NOT_ENABLED', next: null }
  const call = 'send the request without a payment: the 402 answer says what to pay; then again with the payment'
  return { required, endpoint, reason: 'NOT_SENT', next: { method: 'POST', path: endpoint, call } }
}

interface Spendable {
  available: bigint
  debt: bigint
  dailyLimit: bigint
  remaining: bigint
  resetsAt: string
}

/** Undefined when treasury is away: the refusal is sent without it. */
async function spendable({ peers, log }: FundingParts, { agentId, chain }: FundingNeed): Promise<Spendable | undefined> {
  try {
    const found = await peers.call('treasury', treasuryApi.internal.getSpendable, { params: { agentId }, query: { chain } })
    const { available, debt, dailyLimit, remaining, resetsAt } = found
    return { available: BigInt(available), debt: BigInt(debt), dailyLimit: BigInt(dailyLimit), remaining: BigInt(remaining), resetsAt }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    log.warn({ err: error, agentId }, 'treasury did not say what may be spent')
    return undefined
  }
}
