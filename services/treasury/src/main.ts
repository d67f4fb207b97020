import { run } from '@carapace/service'
import { treasury } from './index.ts'

run(treasury)
