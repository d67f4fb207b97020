import { banner } from '../banner.ts'
import { runUntilTerminated } from '../run.ts'
import { startDistributed } from './start.ts'

await runUntilTerminated(startDistributed, banner)
