import { setFlagsFromString } from 'node:v8'
import { banner } from './banner.ts'
import { runUntilTerminated } from './run.ts'
import { startLocal } from './start.ts'

// The usual heap doubles before it is collected. All services in one process would then hold several times what is alive (docs/performance.md).
setFlagsFromString('--heap-growing-percent=50')

await runUntilTerminated(startLocal, banner)
