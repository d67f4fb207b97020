import { run } from '@carapace/service'
import { swarm } from './index.ts'

run(swarm)
