import { type Chain, clearingPageSize } from '@carapace/api'
import type { Ledger } from '@carapace/store'
import type { Platform } from '../define.ts'

const prefix = 'clearing:'

/** @returns for each of the keys on that network that a record of this service will still change, the record and its state */
export type ExplainClearing<Parts> = (parts: Parts, chain: Chain, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** The handlers of `clearingBalances` and `explainClearing`, for a service whose ledger has clearing accounts: `clearing:<key of the movement>`. */
export const clearingHandlers = <Parts extends Pick<Platform, 'clock'> & { ledger: Ledger }>(parts: Parts, explain: ExplainClearing<Parts>) => ({
  clearingBalances: async ({ query: { chain, after } }: { query: { chain: Chain; after: string } }) => {
    const page = { after: after && `${prefix}${after}`, limit: clearingPageSize }
    const found = [...(await parts.ledger.balances(chain, prefix, page))]
    return {
      accounts: found.map(([name, balance]) => ({ key: name.slice(prefix.length), balance: String(balance) })),
      more: found.length === clearingPageSize,
    }
  },

  explainClearing: async ({ body: { chain, keys } }: { body: { chain: Chain; keys: readonly string[] } }) => {
    const passing = await explain(parts, chain, keys)
    const explained = keys.map(async key => {
      const [last] = await parts.ledger.entries({ chain, 'lines.account': `${prefix}${key}` }, { limit: 1 })
      return { key, ageMs: last ? parts.clock.now().getTime() - last.at.getTime() : null, passing: passing.get(key) ?? null }
    })
    return { keys: await Promise.all(explained) }
  },
})
