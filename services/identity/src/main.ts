import { run } from '@carapace/service'
import { identity } from './index.ts'

run(identity)
