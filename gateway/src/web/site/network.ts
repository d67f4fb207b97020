import { chainRelayerApi, escrowApi, type Network, type ResponseOf, swarmApi, type Validation } from '@carapace/api'
import { networks as profiles } from '@carapace/chain'
import { unlessRefused } from '@carapace/service'
import { count, money, plural, rounded } from '../format.ts'
import { type Html, html } from '../html.ts'
import { areaPage } from '../layout.ts'
import { agentLink, chip, foreignLink, hash, moment, row, section, table, unavailable } from '../parts/basics.ts'
import { contractsOf, contractTitles } from '../parts/contract-titles.ts'
import { liveOn } from '../parts/live.ts'
import type { SiteParts } from '../site-parts.ts'
import { codeHashes } from './code-hashes.ts'

const { chainStatus, chainBalance, chainBlocks } = chainRelayerApi.internal
const { escrowLocked, escrowReleased, escrowRefunded } = escrowApi.events
const { voteRecorded, validationOpened, validationResolved } = swarmApi.events
/** Each of them is a transaction in a new block. */
const news = liveOn([escrowLocked, escrowReleased, escrowRefunded, voteRecorded, validationOpened, validationResolved])

const [lastValidations, shownValidators] = [100, 20]

/** Both networks as the platform sees them. */
export async function networkPage(parts: SiteParts) {
  const { peers, pages, clock } = parts
  const networks = await parts.networks()
  const [capacity, swarm, judged, ...views] = await Promise.all([
    unlessRefused(peers.call('escrow', escrowApi.endpoints.getTvlCapacity)),
    unlessRefused(peers.call('swarm', swarmApi.endpoints.getSwarmStatistics)),
    unlessRefused(peers.call('swarm', swarmApi.endpoints.listValidations, { query: { limit: String(lastValidations) } })),
    ...networks.map(network => networkFacts(parts, network)),
  ])
  const now = clock.now()
  const head = {
    title: 'Network',
    area: 'network',
    description: 'Both networks: contracts, locked value against the balance of the contract, blocks and validators.',
    lead: 'Two networks carry the money. What the platform says it holds is compared here with what the contracts hold.',
  } as const
  return pages.show(
    areaPage(
      head,
      html`<div class="cards two" id="networks" data-live="${news}">${views.map(view => networkCard(view, capacity?.chains[view.network.chain].locked, now))}</div>
<div id="validators" data-live="${news}">${section('Validators', swarm ? html`${swarmFigures(swarm)}${judged && validatorList(judged.validations)}` : unavailable('Validators'))}</div>
${section('Contracts', html`<div class="cards two">${views.map(contracts)}</div>`, { more: html`<span class="muted small-text">the hash is of the code at the address</span>` })}`,
    ),
  )
}

interface NetworkFacts {
  network: Network
  status: ResponseOf<typeof chainStatus> | undefined
  escrowed: ResponseOf<typeof chainBalance> | undefined
  blocks: ResponseOf<typeof chainBlocks>['blocks']
  codes: Readonly<Record<string, string>>
}

async function networkFacts(parts: SiteParts, network: Network): Promise<NetworkFacts> {
  const { chain, contracts } = network
  const [status, escrowed, newest, codes] = await Promise.all([
    unlessRefused(parts.peers.call('chain-relayer', chainStatus, { params: { chain } })),
    unlessRefused(parts.peers.call('chain-relayer', chainBalance, { params: { chain, wallet: contracts.escrow } })),
    unlessRefused(parts.peers.call('chain-relayer', chainBlocks, { params: { chain } })),
    codeHashes(parts, network),
  ])
  return { network, status, escrowed, blocks: newest?.blocks ?? [], codes }
}

function networkCard({ network, status, escrowed, blocks }: NetworkFacts, locked: number | undefined, now: Date): Html {
  const { chain, chainId, gasless } = network
  const balance = escrowed && Number(escrowed.usdc) / 1e6
  return html`<section class="card"><header class="part-head"><h2>${profiles[chain].title}</h2><span class="chips">${gasless && chip('no gas', 'good')}${status ? chip('answers', 'good') : chip('does not answer', 'bad')}</span></header>
<dl class="facts">${[
    row('Chain id', String(chainId)),
    row('Locked by the books', locked === undefined ? '…' : html`<strong>${money(locked)}</strong>`),
    row(
      'In the contract',
      balance === undefined ? '…' : html`<strong>${money(balance)}</strong> ${locked !== undefined && coverage(balance, locked)}`,
    ),
    status &&
      row(
        'Relayer',
        html`${hash(status.lane.address, 'relayer address')}<br><span class="side">${count(status.lane.queued)} waiting, ${count(status.lane.inflight)} under way${status.lane.nonceGap > 0 && `, nonce gap ${status.lane.nonceGap}`}</span>`,
      ),
    row('RPC', html`<code>${network.rpcUrl}</code>`),
  ]}</dl>
<h3 class="sub-head">Last blocks</h3>${blocks.length === 0 ? html`<p class="muted">They cannot be read now.</p>` : blockList(network, blocks, now)}</section>`
}

/** Whether the contract holds what the books say, and by how much it holds more or less. */
function coverage(balance: number, locked: number): Html {
  const difference = Math.round((balance - locked) * 1e6) / 1e6
  if (difference < 0) return chip(`${money(-difference)} too little`, 'bad')
  return difference === 0 ? chip('covered exactly', 'good') : chip(`covered, ${money(difference)} more`, 'good')
}

const blockList = ({ explorerUrl }: Network, blocks: NetworkFacts['blocks'], now: Date): Html =>
  html`<ol class="blocks plain">${blocks.map(
    ({ number, hash: blockHash, time, transactions }) =>
      html`<li data-key="${blockHash}"><strong class="figure">${explorerUrl === null ? count(number) : foreignLink(`${explorerUrl}/block/${number}`, count(number))}</strong> ${hash(blockHash, 'block hash')} <span class="side">${plural(transactions, 'transaction')}, ${moment(new Date(time * 1000).toISOString(), now)}</span></li>`,
  )}</ol>`

const swarmFigures = (swarm: ResponseOf<typeof swarmApi.endpoints.getSwarmStatistics>): Html => {
  const figures: readonly (readonly [name: string, value: string, unit?: string])[] = [
    ['Validators', count(swarm.totalValidators)],
    ['Have voted', count(swarm.activeValidators)],
    ['Deliveries judged', count(swarm.approved + swarm.rejected)],
    ['Open now', count(swarm.pending)],
    ['Approved', swarm.approved + swarm.rejected === 0 ? '…' : share(swarm.approved / (swarm.approved + swarm.rejected))],
    ['Reached a verdict', share(swarm.consensusRate)],
    ['Time to a verdict', duration(swarm.averageResolutionSeconds)],
    ['Appeals won', `${count(swarm.appealsWon)} of ${count(swarm.appeals)}`],
    ['Earned by votes', rounded(swarm.totalRewardsAccrued), 'USDC'],
    ['Of it paid out', rounded(swarm.totalRewardsClaimed), 'USDC'],
  ]
  return html`<dl class="figures ten">${figures.map(([name, value, unit]) => html`<div><dt>${name}</dt><dd>${value}${unit && html` <small>${unit}</small>`}</dd></div>`)}</dl>`
}

/** Each validator in the last validations, those first who have voted most. */
function validatorList(validations: readonly Validation[]): Html | undefined {
  const seats = new Map<string, { handle: string | null; drawn: number; voted: number; replaced: number }>()
  for (const { id, handle, voted, replaced } of validations.flatMap(({ validators }) => validators)) {
    const before = seats.get(id) ?? { handle, drawn: 0, voted: 0, replaced: 0 }
    seats.set(id, { handle, drawn: before.drawn + 1, voted: before.voted + Number(voted), replaced: before.replaced + Number(replaced) })
  }
  if (seats.size === 0) return undefined
  const shown = [...seats].sort(([, a], [, b]) => b.voted - a.voted || b.drawn - a.drawn).slice(0, shownValidators)
  const rows = shown.map(
    ([id, { handle, drawn, voted, replaced }]) =>
      html`<tr data-key="${id}"><th scope="row">${agentLink(handle ?? id)}</th><td class="figure">${count(drawn)}</td><td class="figure">${count(voted)}</td><td class="figure wide">${count(replaced)}</td></tr>`,
  )
  return html`<h3 class="sub-head">One by one, in the last ${plural(validations.length, 'validation')}</h3>${table('Validators one by one', ['Validator', 'Drawn', 'Voted', html`<span class="wide">Replaced</span>`], rows)}${seats.size > shown.length && html`<p class="muted small-text">The ${count(shown.length)} with the most votes, of ${count(seats.size)}.</p>`}`
}

const share = (part: number): string => `${(part * 100).toFixed(1)} %`
const duration = (seconds: number): string =>
  seconds >= 5400 ? `${(seconds / 3600).toFixed(1)} h` : seconds >= 90 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds)} s`

const contracts = ({ network, codes }: NetworkFacts): Html =>
  html`<div><h3 class="sub-head">${profiles[network.chain].title}</h3>${table(
    `Contracts on ${profiles[network.chain].title}`,
    ['Contract', 'Address', html`<span class="wide">Code</span>`],
    contractsOf(network).map(
      ([name, address]) =>
        html`<tr><th scope="row">${contractTitles[name]}</th><td>${hash(address, `address of ${contractTitles[name]}`)} ${network.explorerUrl !== null && foreignLink(`${network.explorerUrl}/address/${address}`, 'Explorer')}</td><td class="wide">${codes[name] && hash(codes[name], `code hash of ${contractTitles[name]}`)}</td></tr>`,
    ),
  )}</div>`
