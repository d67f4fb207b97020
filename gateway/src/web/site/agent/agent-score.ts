import { type AgentProfile, type ResponseOf, type reputationApi, scoreWeights } from '@carapace/api'
import { type Html, html } from '../../html.ts'
import { chainName, row, transaction } from '../../parts/basics.ts'
import { historyChart } from '../../parts/history-chart.ts'
import { bar } from '../../parts/pictures.ts'

export const componentNames = [
  ['gigPerformance', 'Gig performance'],
  ['onChainBehaviour', 'Behaviour on chain'],
  ['bondReliability', 'Bond reliability'],
  ['ecosystemSignals', 'Ecosystem signals'],
] as const

export const components = ({ components }: AgentProfile): Html =>
  html`<ul class="components">${componentNames.map(([name, title]) => {
    const weight = Math.round(scoreWeights[name] * 100)
    return html`<li><span class="line"><span>${title} <span class="muted">counts ${weight} %</span></span><strong class="figure">${components[name].toFixed(1)}</strong></span>${bar(components[name] / 100, `${title}: ${components[name].toFixed(1)} of 100, counts ${weight} percent`)}</li>`
  })}</ul>`

export function history(reputation: ResponseOf<typeof reputationApi.endpoints.getReputation>, now: Date): Html {
  const { onChain } = reputation
  const networks = [
    ['BASE_SEPOLIA', onChain?.baseSepolia, 'first'],
    ['SKALE_TESTNET', onChain?.skale, 'second'],
  ] as const
  const chart = historyChart(
    [
      { name: 'FusedScore', style: 'own', points: reputation.history ?? [] },
      ...networks.map(([chain, published, style]) => ({ name: chainName(chain), style, points: published?.history ?? [] })),
    ],
    now,
  )
  return html`<div class="card">${chart ?? html`<p class="muted">The line begins with the first change of the score.</p>`}<dl class="facts">${networks.map(([chain, published]) => row(chainName(chain), typeof published?.score === 'number' ? html`<strong>${published.score.toFixed(1)}</strong> ${published.txHash && html`<span class="muted">written by</span> ${transaction(chain, published.txHash)}`}` : html`<span class="muted">not written yet</span>`))}</dl></div>`
}
