import { chainRelayerApi, escrowApi, type Network, type ResponseOf, swarmApi } from '@carapace/api'
import { networks as profiles } from '@carapace/chain'
import { count, money, relative } from '../format.ts'
import { type Html, html } from '../html.ts'
import { pageHead } from '../layout.ts'
import { chip, foreignLink, hash, row, section, unavailable } from '../parts/basics.ts'
import { codeHashes } from './code-hashes.ts'
import { type SiteParts, unlessRefused } from './parts.ts'

const { chainStatus, chainBalance } = chainRelayerApi.internal

/** Both networks as the platform sees them. */
export async function networkPage(parts: SiteParts) {
  const { peers, pages, clock } = parts
  const networks = await parts.networks()
  const [capacity, swarm, ...views] = await Promise.all([
    unlessRefused(peers.call('escrow', escrowApi.endpoints.getTvlCapacity)),
    unlessRefused(peers.call('swarm', swarmApi.endpoints.getSwarmStatistics)),
    ...networks.map(network => networkFacts(parts, network)),
  ])
  const now = clock.now()
  return pages.show({
    title: 'Network',
    area: 'network',
    path: '/network',
    description: 'Both networks: contracts, locked value against the balance of the contract, blocks and validators.',
    main: html`${pageHead('Network', 'Two networks carry the money. What the platform says it holds is compared here with what the contracts hold.')}
<div class="cards two">${views.map(view => networkCard(view, capacity?.chains[view.network.chain].locked, now))}</div>
${section('Validators', swarm ? swarmFigures(swarm) : unavailable('Validators'))}
${views.map(({ network, codes }) => section(`Contracts on ${profiles[network.chain].title}`, contractList(network, codes)))}`,
  })
}

interface NetworkFacts {
  network: Network
  status: ResponseOf<typeof chainStatus> | undefined
  escrowed: ResponseOf<typeof chainBalance> | undefined
  codes: Readonly<Record<string, string>>
}

async function networkFacts(parts: SiteParts, network: Network): Promise<NetworkFacts> {
  const { chain, contracts } = network
  const [status, escrowed, codes] = await Promise.all([
    unlessRefused(parts.peers.call('chain-relayer', chainStatus, { params: { chain } })),
    unlessRefused(parts.peers.call('chain-relayer', chainBalance, { params: { chain, wallet: contracts.escrow } })),
    codeHashes(parts, network),
  ])
  return { network, status, escrowed, codes }
}

function networkCard({ network, status, escrowed }: NetworkFacts, locked: number | undefined, now: Date): Html {
  const { chain, chainId, gasless } = network
  const balance = escrowed && Number(escrowed.usdc) / 1e6
  return html`<section class="card"><header class="part-head"><h2>${profiles[chain].title}</h2><span class="chips">${gasless && chip('no gas', 'good')}${status ? chip('answers', 'good') : chip('does not answer', 'bad')}</span></header>
<dl class="facts">${[
    row('Chain id', String(chainId)),
    row('Locked by the books', locked === undefined ? '…' : money(locked)),
    row(
      'In the contract',
      balance === undefined
        ? '…'
        : html`${money(balance)} ${locked !== undefined && (balance >= locked ? chip('covered', 'good') : chip('not covered', 'bad'))}`,
    ),
    status &&
      row(
        'Last block',
        html`${count(status.head)} <span class="muted small-text" title="${status.headHash}">${relative(new Date(status.headTime * 1000).toISOString(), now)}</span>`,
      ),
    status && row('Block hash', hash(status.headHash, 'block hash')),
    status &&
      row(
        'Relayer',
        html`${hash(status.lane.address, 'relayer address')}<br><span class="side">${count(status.lane.queued)} waiting, ${count(status.lane.inflight)} under way${status.lane.nonceGap > 0 && `, nonce gap ${status.lane.nonceGap}`}</span>`,
      ),
    row('RPC', html`<code>${network.rpcUrl}</code>`),
  ]}</dl></section>`
}

const swarmFigures = (swarm: ResponseOf<typeof swarmApi.endpoints.getSwarmStatistics>): Html => {
  const figures: readonly (readonly [string, string])[] = [
    ['Validators', count(swarm.totalValidators)],
    ['Have voted', count(swarm.activeValidators)],
    ['Validations', count(swarm.totalValidations)],
    ['Reached a verdict', `${(swarm.consensusRate * 100).toFixed(1)} %`],
    ['Open now', count(swarm.pending)],
    ['Rewards', money(swarm.totalRewardsAccrued)],
  ]
  return html`<dl class="figures">${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const contractList = ({ contracts, explorerUrl }: Network, codes: NetworkFacts['codes']): Html =>
  html`<ul class="list">${Object.entries(contracts)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(
      ([name, address]) =>
        html`<li><span class="main"><strong>${name}</strong></span><span class="side">${hash(address, `address of ${name}`)} ${codes[name] && html`code ${hash(codes[name], `code hash of ${name}`)}`} ${explorerUrl !== null && foreignLink(`${explorerUrl}/address/${address}`, 'Explorer')}</span></li>`,
    )}</ul>`
