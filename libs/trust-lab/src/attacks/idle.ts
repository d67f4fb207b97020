import { type Attack, recruit } from '../attack.ts'

const idle: Attack = {
  title: '12 bad workers who do nothing but wait to be hired (control)',
  begin: population => recruit(population, 12),
}

export default { idle }
