import { run } from '@carapace/service'
import { chainRelayer } from './index.ts'

run(chainRelayer)
