import { banner } from './banner.ts'
import { runUntilTerminated } from './run.ts'
import { startLocal } from './start.ts'

await runUntilTerminated(startLocal, banner)
