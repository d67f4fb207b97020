import { run } from '@carapace/service'
import { reputation } from './index.ts'

run(reputation)
