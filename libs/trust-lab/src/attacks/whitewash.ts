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

export default { whitewash }
