import { type Attack, recruit } from '../attack.ts'

const threshold = 60

const migration: Attack = {
  title: '12 traitors who inherit their own reputation into a new account after each second failure',
  begin: population => recruit(population, 12),
  chance: ({ earned }) => (earned < threshold ? 0.95 : 0.15),
  hired: (member, _approved, population) => {
    if (member.failed < 2 || member.earned < threshold) return
    const heir = population.join({ kind: 'attacker', earned: member.earned })
    population.inherit(heir, member)
  },
}

export default { 'migration laundering': migration }
