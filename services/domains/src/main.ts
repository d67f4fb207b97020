import { run } from '@carapace/service'
import { domains } from './index.ts'

run(domains)
