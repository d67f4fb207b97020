import { type Attack, recruit } from '../attack.ts'
import type { Member } from '../population.ts'

const traitor = (until: string, isLoyal: (member: Member, day: number) => boolean): Attack => ({
  title: `12 agents work well until ${until}, then badly`,
  begin: population => recruit(population, 12),
  chance: (member, { day }) => (isLoyal(member, day) ? 0.95 : 0.15),
})
const afterEarning = (usdc: number) => traitor(`real work has earned them ${usdc} USDC`, ({ earned }) => earned < usdc)

export default {
  'traitor 25': afterEarning(25),
  'traitor 60': afterEarning(60),
  'traitor 150': afterEarning(150),
  'traitor by time': traitor('45 days after their first gig', ({ firstHireDay }, day) => day - (firstHireDay ?? day) < 45),
  'turn on all': traitor('day 120, all on the same day', (_, day) => day < 120),
}
