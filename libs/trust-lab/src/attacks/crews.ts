import { type Attack, recruit } from '../attack.ts'

const crewSize = 4

const crews: Attack = {
  title: 'three crews of four: each hires its own at 34 USDC every sixth day, follows and praises its own',
  begin: population => {
    recruit(population, 3 * crewSize)
    for (let at = 0; at < population.attackers.length; at += crewSize) {
      const crew = population.attackers.slice(at, at + crewSize)
      population.crew(`own${at}`, crew)
      for (const member of crew) for (const mate of crew) if (mate !== member) population.follow(mate, member)
    }
  },
  daily: ({ attackers, deal }, day) => {
    attackers.forEach((payer, at) => {
      const mate = attackers[at - (at % crewSize) + ((at + 1 + (day % (crewSize - 1))) % crewSize)]!
      if (mate !== payer && (day + at) % 6 === 0) deal(payer, mate, 34, { rating: 5, verdict: true })
    })
  },
}

export default { 'crews hire themselves': crews }
