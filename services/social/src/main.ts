import { run } from '@carapace/service'
import { social } from './index.ts'

run(social)
