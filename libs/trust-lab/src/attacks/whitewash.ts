import { type Attack, recruit } from '../attack.ts'

const whitewash: Attack = {
  title: '12 bad workers who begin again with a new account after two failures',
  begin: population => recruit(population, 12),
  hired: (member, _approved, population) => {
    if (member.failed < 2) return
    population.leave(member)
    population.join({ kind: 'attacker' })
  },
}

const bonded = (bond: number): Attack => ({
  title: `12 bad workers who take their bond of ${bond} USDC to a new account after each failure, in a market with the lane for new agents`,
  lane: true,
  begin: population => recruit(population, 12, { bond }),
  hired: (member, approved, population) => {
    if (approved) return
    population.leave(member)
    population.join({ kind: 'attacker', bond })
  },
})

export default { whitewash, 'bonded whitewash': bonded(10), 'bonded whitewash 100': bonded(100) }
