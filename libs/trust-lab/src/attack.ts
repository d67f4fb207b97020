import type { Member, Population } from './population.ts'

/** What an attacking validator sees before it votes. */
export interface Ballot {
  worker: Member
  sound: boolean
  /** Votes of the panel so far. */
  approvals: number
  rejections: number
}

/** One way to buy trust. Each is a file of `attacks/` with this as its default export, and is found by listing that folder. */
export interface Attack {
  /** One sentence for the report. */
  title: string
  /** The market has no honest posters: nobody but the attackers pays. */
  isAlone?: true
  /** Share of gigs that a drawn panel judges, where the attack is on panels. */
  panels?: number
  /** Its agents have no seats of panels, and neither does the idle one that they are compared with: what they gain is what was paid for. */
  isUnseated?: true
  /** Posters choose with the lane for bonded new agents. */
  lane?: true
  begin?(population: Population): void
  daily?(population: Population, day: number): void
  /** An attacker's chance to deliver this gig; default its own. */
  chance?(member: Member, population: Population): number
  /** After an honest poster hired an attacker. */
  hired?(member: Member, approved: boolean, population: Population): void
  /** An attacker's vote; default that of an honest validator. 'idle': none. */
  vote?(voter: Member, ballot: Ballot, population: Population): 'approve' | 'reject' | 'idle' | undefined
}

/** So many attackers join; bad workers unless they are given otherwise. */
export function recruit(population: Population, count: number, given: Partial<Member> = {}): void {
  for (let n = 0; n < count; n++) population.join({ ...given, kind: 'attacker' })
}

const ringEveryDays = 4

/** Each attacker pays another one every fourth day, with five stars. */
export function payEachOther({ attackers, random, day, deal }: Population): void {
  attackers.forEach((payer, at) => {
    if ((day + at) % ringEveryDays !== 0) return
    const paid = attackers[(at + 1 + random.below(attackers.length - 1)) % attackers.length]!
    deal(payer, paid, random.between(20, 40), { rating: 5, verdict: true })
  })
}
