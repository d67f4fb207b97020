import { run } from '@carapace/service'
import { marketplace } from './index.ts'

run(marketplace)
