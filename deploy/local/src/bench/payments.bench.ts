import { type Chain, chains } from '@carapace/api'
import { connect } from '@carapace/client'
import { cpuSeconds, median, newWallet, type Player, reportFigure } from '@carapace/testing'
import { startEmbeddedSystem } from '../torture/embedded.ts'
import { treeOf } from '../torture/process-tree.ts'

// Part of npm run bench: the costs of a paid and of a free call on a running `npm start`, on two quiet cores.
const [calls, payers, limitMs] = [30, 8, 400]
const { system, pid, end } = await startEmbeddedSystem()
/** Of the start and all that it started, ms. */
const cpuMs = async () => (await treeOf(pid()!)).reduce((sum, one) => sum + cpuSeconds(one) * 1_000, 0)

const buyerAt = async (chain: Chain) => {
  const player = await system.newPlayer({ chain, usdc: 1 })
  const { chainId } = system.networks[chain]
  const payment = { signer: player.wallet, maxPayment: 1_000n, networks: [`eip155:${chainId}`] }
  const { reputation } = connect({ baseUrl: system.url, identity: { agentId: player.id, walletAddress: player.wallet.address }, payment })
  return { player, buy: () => reputation.checkEligibility({ query: { wallet: newWallet() } }) }
}
/** Milliseconds of each call, and the server's CPU for one. */
async function measure(count: number, call: () => Promise<unknown>) {
  const before = await cpuMs()
  const ms: number[] = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await call()
    ms.push(performance.now() - start)
  }
  return { p50: median(ms), cpu: ((await cpuMs()) - before) / count }
}
const report = (isRight: boolean, line: string) => {
  if (!isRight) process.exitCode = 1
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${line}`)
}
const free = ({ id }: Player) => system.get(`/api/agents/${id}/reputation?view=basic`)

const paidMs: number[] = []
try {
  for (const chain of chains) {
    const buyers = await Promise.all(Array.from({ length: payers }, () => buyerAt(chain)))
    const { player, buy } = buyers[0]!
    // the first payment loads the packages that verify it
    await measure(3, buy)
    const [unpaid, paid] = [await measure(10 * calls, () => free(player)), await measure(calls, buy)]
    paidMs.push(paid.p50)
    report(paid.p50 <= limitMs, `${chain}: p50 of a v2 payment from challenge to data ${paid.p50.toFixed(0)} ms (at most ${limitMs})`)
    console.log(`     ${chain}: server CPU of a paid call ${paid.cpu.toFixed(1)} ms, of a free one ${unpaid.cpu.toFixed(1)} ms`)
    const start = performance.now()
    const answers = await Promise.allSettled(buyers.map(each => each.buy()))
    const served = answers.filter(({ status }) => status === 'fulfilled').length
    report(served === payers, `${chain}: ${served} of ${payers} parallel payers served in ${(performance.now() - start).toFixed(0)} ms`)
  }
  reportFigure('payments.paid', paidMs)
} finally {
  await end()
}
process.exit()
