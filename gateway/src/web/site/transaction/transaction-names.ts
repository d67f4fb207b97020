import { type ChainLog, identityApi, type Network } from '@carapace/api'
import { unlessRefused } from '@carapace/service'
import { contractsOf, contractTitles } from '../../parts/contract-titles.ts'
import type { SiteParts } from '../../site-parts.ts'
import { type Called, shortOf, textOf } from './log-phrases.ts'

/** Addresses of a transaction that are looked up: a batch may name scores of them. */
const namedAddresses = 16
const address = /^0x[0-9a-f]{40}$/i

/** What the addresses of a transaction are called. */
export interface Names {
  called: Called
  /** The agent whose wallet it is. */
  handleOf(address: unknown): string | undefined
}

/** Contracts by their titles, wallets by the handles of their agents, others in short. */
export async function namesIn({ peers }: Pick<SiteParts, 'peers'>, network: Network | undefined, logs: readonly ChainLog[]): Promise<Names> {
  const titles = new Map((network ? contractsOf(network) : []).map(([name, at]) => [at.toLowerCase(), contractTitles[name]]))
  const seen = logs.flatMap(({ args }) => Object.values(args).map(value => textOf(value).toLowerCase()))
  const wallets = [...new Set(seen)].filter(text => address.test(text) && !/^0x0{40}$/.test(text) && !titles.has(text)).slice(0, namedAddresses)
  const rows = await Promise.all(
    wallets.map(wallet => unlessRefused(peers.find('identity', identityApi.internal.getAgentRowByWallet, { params: { wallet } }))),
  )
  const handles = new Map(wallets.flatMap((wallet, i) => (rows[i] ? [[wallet, rows[i].handle]] : [])))
  const handleOf = (value: unknown) => handles.get(textOf(value).toLowerCase())
  const titleOf = (value: unknown) => titles.get(textOf(value).toLowerCase())
  return { handleOf, called: value => handleOf(value) ?? (titleOf(value) === undefined ? shortOf(value) : `the contract “${titleOf(value)}”`) }
}
