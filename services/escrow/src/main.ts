import { run } from '@carapace/service'
import { escrow } from './index.ts'

run(escrow)
