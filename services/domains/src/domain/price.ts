import { domainPrices, type Extension, MICRO, reservedNames } from '@carapace/api'

const nameForm = /^[a-z0-9](?:[a-z0-9-]{1,30}[a-z0-9])$/

/** Why nobody can register a name under any extension; undefined for one that somebody can. */
export function faultOf(name: string): 'invalid' | 'reserved' | undefined {
  if (!nameForm.test(name) || name.includes('--')) return 'invalid'
  return reservedNames.includes(name) ? 'reserved' : undefined
}

/** Price without the score, micro-USDC; that of .agent depends on the length of the name. */
export function priceOf(name: string, tld: Extension): bigint {
  const { price } = domainPrices[tld]
  return BigInt(price ?? priceByLength(name.length)) * MICRO
}

function priceByLength(length: number): number {
  if (length <= 3) return 60
  if (length === 4) return 20
  return length < 10 ? 8 : 5
}

export const isLengthBased = (tld: Extension): boolean => domainPrices[tld].price === null

/** Whether the score lets an agent have the name without paying. */
export const meetsFreeScore = (tld: Extension, fusedScore: number): boolean => fusedScore >= domainPrices[tld].freeScore

/** Names of one paid extension that an agent gets without paying. */
export const freeNamesPerExtension = 3
