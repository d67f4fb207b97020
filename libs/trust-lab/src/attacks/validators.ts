import { type Attack, recruit } from '../attack.ts'

const lazy: Attack = {
  title: '30 validators who approve whatever they get',
  panels: 0.5,
  begin: population => recruit(population, 30, { isHireable: false }),
  vote: () => 'approve',
}

const lastSecond: Attack = {
  title: '30 validators who wait and vote with the majority so far',
  panels: 0.5,
  begin: population => recruit(population, 30, { isHireable: false }),
  vote: (_, { approvals, rejections }) => (rejections > approvals ? 'reject' : 'approve'),
}

/** A pool in which so many of five are colluders on average; they judge honestly until their own work comes. */
const colluding = (ofFive: 1 | 2 | 3): Attack => ({
  title: `six bad workers whose friends are ${ofFive} of 5 in the pool of validators: these judge honestly until work of a friend comes`,
  panels: 0.5,
  begin: population => {
    const honest = population.members.length
    recruit(population, 6)
    recruit(population, Math.round((honest * ofFive) / (5 - ofFive)), { isHireable: false })
  },
  vote: (_, { worker }) => (worker.kind === 'attacker' ? 'approve' : undefined),
})

export default {
  'lazy validators': lazy,
  'last-second votes': lastSecond,
  'collusion 1': colluding(1),
  'collusion 2': colluding(2),
  'collusion 3': colluding(3),
}
