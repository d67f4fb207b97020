import { type Attack, recruit } from '../attack.ts'

const activity: Attack = {
  title: '12 bad workers who are busy with each other: a gig of 1 USDC a day each, all follow all',
  begin: population => {
    recruit(population, 12)
    for (const member of population.attackers) for (const other of population.attackers) if (other !== member) population.follow(other, member)
  },
  daily: ({ attackers, deal }, day) => {
    const step = 1 + (day % (attackers.length - 1))
    for (const [at, payer] of attackers.entries()) deal(payer, attackers[(at + step) % attackers.length]!, 1, { rating: 5, verdict: true })
  },
}

export default { activity }
