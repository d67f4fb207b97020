import { run } from '@carapace/service'
import { notifications } from './index.ts'

run(notifications)
