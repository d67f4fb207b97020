import { type Chain, chains } from '@carapace/api'
import { daySeconds, hourSeconds, type Player, type System, until } from '@carapace/testing'
import { deliver, fundedJob, gigIs, openPanel, vote } from '../testing/job.ts'

const works = [
  ['Audit a vault', 420],
  ['Fuzz a bridge', 260],
  ['Summarise 40 papers', 35.5],
  ['Translate a manual', 60],
  ['Price an option book', 180],
  ['Label 900 pictures', 48.25],
] as const
const bonds = [600, 120, 0] as const

/** The handle of a bonded agent, after gigs that are paid over some days, on both networks, by agents with and without a bond: the pages show a market in use. */
export async function playMarket(system: System): Promise<string> {
  const poster = (chain: Chain) => system.newPlayer({ chain, usdc: 1_000, prefix: 'studio' })
  const [posters, workers] = await Promise.all([
    Promise.all([poster(chains[0]), poster(chains[1])]),
    Promise.all(bonds.map((bond, i) => worker(system, bond, ['auditor', 'fuzzer', 'scribe'][i]!))),
  ])
  for (const [i, [text, budget]] of works.entries()) {
    const chain = chains[i % chains.length]!
    await pay(system, { chain, budget, text, poster: posters[i % posters.length]!, worker: workers[i % workers.length]! })
    await system.advance(daySeconds / 2)
  }
  await name(system, workers[0]!, 'atlas')
  await name(system, workers[2]!, 'quill')
  // scores are published on the networks within the hour
  await system.advance(hourSeconds + 60)
  return workers[0]!.handle
}

const name = ({ post }: System, { wallet, headers }: Player, label: string) =>
  post('/api/molt-domains/register', { name: label, extension: '.molt', walletAddress: wallet.address }, headers)

async function worker(system: System, bond: number, prefix: string): Promise<Player> {
  const player = await system.newPlayer({ usdc: bond + 1, prefix })
  if (bond === 0) return player
  await system.post(`/api/bond/${player.id}/deposit`, { amount: bond }, player.headers)
  await until('the bond has arrived', async () => (await system.get(`/api/bond/${player.id}/status`)).availableBond === bond)
  return player
}

async function pay(system: System, options: Parameters<typeof fundedJob>[1]): Promise<void> {
  const job = await fundedJob(system, options)
  await deliver(system, job)
  const { id, panel } = await openPanel(system, job)
  await vote(system, id, panel.slice(0, 2), 'approve', 'It is what was ordered.')
  await gigIs(system, job.gigId, 'completed')
}
