import type { Chain } from '@carapace/api'
import { orFirst } from '@carapace/chain'
import type { Stored } from '@carapace/store'
import type { Parts } from '../../parts.ts'
import type { Bond } from '../bond.ts'
import { bondPlaces, stakesOn } from '../bound-contract.ts'
import { isAtRest } from '../outcomes/is-at-rest.ts'

/**
 * Bonds that count more than their contract has of their wallet, each by itself: what one lacks another one may have too much. More than a bond counts is
 * no fault, because a wallet may deposit what no bond counts. A run reads a page of all bonds and those that have changed lately, however many there are.
 */
export async function missingStakes(parts: Parts): Promise<string[]> {
  const { stakes: watch } = parts.checked
  const faults = new Set<string>()
  for await (const page of watch.pages('news'))
    for (const group of await byContract(parts, page)) {
      const { stakes, blockNumber } = await stakesOn(parts, group)
      for (const [n, bond] of group.bonds.entries()) {
        const stake = stakes[n]!
        const missing = isAtRest(bond, blockNumber) ? bond.total - stake : 0n
        if (watch.noteMissing(bond, missing)) faults.add(`${bond.chain}: bond ${bond.id} counts ${bond.total}, its contract has ${stake} of it`)
      }
    }
  return [...faults]
}

interface OnContract {
  chain: Chain
  contract: string
  bonds: Stored<Bond>[]
}

async function byContract(parts: Parts, page: readonly Stored<Bond>[]): Promise<OnContract[]> {
  const groups = new Map<string, OnContract>()
  for (const bond of page) {
    const { chain } = bond
    const contract = orFirst(await bondPlaces(parts, bond), bond.contract)
    const group = groups.get(`${chain}/${contract}`) ?? { chain, contract, bonds: [] }
    group.bonds.push(bond)
    groups.set(`${chain}/${contract}`, group)
  }
  return [...groups.values()]
}
