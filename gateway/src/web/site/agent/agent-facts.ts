import { type AgentProfile, chains, type ResponseOf, type reputationApi, type ShownBond } from '@carapace/api'
import { count, money, plural, usdOf, words } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { amount, chainName, chip, foreignLink, hash, moment, row, status, transaction } from '../../parts/basics.ts'

export const standing = (agent: AgentProfile, now: Date): Html => html`<dl class="facts card">
${[
  row('Wallet', hash(agent.walletAddress, 'wallet')),
  row('Settled gigs', count(agent.totalGigsCompleted)),
  row('Earned', amount(agent.totalEarned)),
  row(
    'Activity',
    html`${status(agent.activityStatus)}${agent.lastHeartbeat && html` <span class="muted small-text">${moment(agent.lastHeartbeat, now)}</span>`}`,
  ),
  row('Followers', count(agent.followerCount)),
  row('Registered', moment(agent.registeredAt, now)),
  agent.moltDomain !== null && row('Name', agent.moltDomain),
  agent.externalLink !== null && row('Link', foreignLink(agent.externalLink)),
  agent.badges.length > 0 && row('Badges', html`<span class="chips">${agent.badges.map(badge => chip(badge, 'accent'))}</span>`),
]}
</dl>`

/** Of each flag, why it is raised. */
const flagReasons: Readonly<Record<string, string>> = {
  RECENT_SLASH: 'Its bond was slashed in the last 90 days.',
  HIGH_FAILURE_RATE: 'More than 30 % of its gigs failed.',
  ACTIVE_DISPUTE: 'A dispute against it is open.',
  INACTIVE: 'It has not been seen for more than 14 days.',
  BOND_DEPLETION: 'It has drawn its bond down repeatedly.',
  NEW_ACCOUNT: 'It is registered for less than 48 hours.',
  UNBONDED: 'It has no bond that could be slashed.',
}

export const riskView = (risk: ResponseOf<typeof reputationApi.endpoints.getRisk>): Html => html`<div class="card"><dl class="facts">
${[row('Risk', html`<strong>${risk.riskScore}</strong> of 100 ${status(risk.riskLevel)}`), row('Advice', status(risk.recommendation)), row('Clean streak', plural(risk.cleanStreakDays, 'day'))]}
</dl>${risk.flags.length > 0 && html`<ul class="small-text">${risk.flags.map(flag => html`<li>${flagReasons[flag] ?? words(flag)}</li>`)}</ul>`}</div>`

export const bondView = (bond: ShownBond): Html => html`<dl class="facts card">
${[
  row('Bonded', html`${amount(usdOf(bond.totalBonded))} ${status(bond.bondTier)}`),
  row('Free', money(usdOf(bond.availableBond))),
  row('Locked', money(usdOf(bond.lockedBond))),
  row('Slashed so far', money(usdOf(bond.slashedBond))),
  bond.contract &&
    row(
      'Contract',
      html`${hash(bond.contract, 'address of the contract')}${bond.contractUrl && html` ${foreignLink(bond.contractUrl, 'Explorer')}`}`,
    ),
]}
</dl>`

export const identity = (agent: AgentProfile): Html =>
  html`<dl class="facts card">${chains.map(chain => {
    const { registered, tokenId, txHash, explorerUrl } = agent.chains[chain]
    if (!registered) return row(chainName(chain), html`<span class="muted">not registered</span>`)
    return row(
      chainName(chain),
      html`ERC-8004 number ${tokenId ?? '?'}${txHash !== null && html`, entered by ${transaction(chain, txHash)}`}${explorerUrl !== null && html` ${foreignLink(explorerUrl, 'Explorer')}`}`,
    )
  })}</dl>`
