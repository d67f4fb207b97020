import { usd } from '@carapace/api'
// as it is served to the browser, so that both say the same
import { money } from '../../browser/dist/amounts.js'
import { distance } from '../../browser/dist/distance.js'

// made once: to make a formatter costs a hundred times what it costs to use it
const [cents, wholes] = [new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }), new Intl.NumberFormat('en-US')]

export { money }

/** An amount to the cent, where the rest does not matter. @example rounded(46.923125) === '46.92' */
export const rounded = (usdc: number): string => cents.format(usdc)

/** USDC of an amount as services answer each other, micro-USDC as text. @example usdOf('1500000') === 1.5 */
export const usdOf = (micro: string): number => usd(BigInt(micro))

/** @example count(12345) === '12,345' */
export const count = (n: number): string => wholes.format(n)

/** @example plural(1, 'gig') === '1 gig' */
export const plural = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`

/** The first and last characters of a hash or an address. @example short('0x52908400098527886E0F7030069857D2E4169EE7') === '0x5290…9EE7' */
export const short = (hash: string): string => (hash.length <= 13 ? hash : `${hash.slice(0, 6)}…${hash.slice(-4)}`)

/** @example words('pending_validation') === 'pending validation' */
export const words = (slug: string): string => slug.replace(/[_-]+/g, ' ').toLowerCase()

/** The text with a capital at its beginning. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** How far a moment lies from now. @example relative('2026-11-21T10:00:00.000Z', new Date('2026-11-21T13:00:00.000Z')) === '3 hours ago' */
export const relative = (moment: string, now: Date): string => distance(Math.round((Date.parse(moment) - now.getTime()) / 1000))

/** @example exact('2026-11-21T10:00:00.000Z') === '2026-11-21 10:00:00 UTC' */
export const exact = (moment: string): string => `${moment.slice(0, 19).replace('T', ' ')} UTC`
