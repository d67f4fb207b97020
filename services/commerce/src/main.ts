import { run } from '@carapace/service'
import { commerce } from './index.ts'

run(commerce)
